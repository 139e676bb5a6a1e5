import { describe, expect, it } from 'vitest';
import { verifyUserToken } from '../../../src/api/credentials/user-tokens.ts';
import { failureOf, fresh, invalid } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { userToken } from '../../support/editors.ts';
import { eventsDuring } from '../../support/events.ts';
import { type Answer, createTenant, startTestServer } from '../../support/server.ts';

const NOW = 1_800_000_000;

const server = await startTestServer({ ROLES: 'api' }, { clock: { now: () => NOW * 1000 } });
const folders = [{ folderId: 'legal', accessType: 'restricted' }];
const documents = ['lease', 'deed'].map((documentId) => ({ documentId, folderId: 'legal' }));
for (const place of ['acme', 'other']) await organize(server, place, { folders, documents });

type Change = (userId: string, ...resources: object[]) => Promise<Answer>;
const change =
  (operation: string): Change =>
  (userId, ...resources) => {
    const permissions = { resources };
    return server.call(`/v2/auth/permissions/${operation}`, { user: { userId }, permissions });
  };
const [add, remove] = [change('add'), change('remove')];
const generate: Change = (userId, ...resources) =>
  server.call('/v2/auth/generate_token', { userId, permissions: { resources } });

async function entriesOf(userId: string, organizationId = 'acme') {
  const ids = { folderIds: ['legal'], documentIds: ['lease', 'deed'] };
  const data = await server.ok('/v2/auth/permissions/get', {
    organizationId,
    userIds: [userId],
    ...ids,
  });
  const { organization, folders, documents } = data[userId];
  return { organization: organization[organizationId], ...folders, ...documents };
}

const acme = { type: 'organization', id: 'acme' };
const legal = { type: 'folder', id: 'legal', organizationId: 'acme' };
const lease = { type: 'document', id: 'lease', organizationId: 'acme' };
const DENIED = expect.objectContaining({ errorCode: 'permission_denied' });
const exists = async (userId: string) => {
  const users = [{ userId }];
  return (await server.ok('/v2/users/update', { organizationId: 'acme', users }))[userId].success;
};

describe.each([
  ['auth/generate_token', generate],
  ['permissions/add', add],
])('%s', (_, grant) => {
  it('grants the roles on each resource, creates unknown users, and grants nothing else', async () => {
    const userId = fresh('user');
    const viewer = { accessRole: 'viewer', expiresAt: NOW + 9 };
    await grant(userId, acme, { ...legal, accessRole: 'viewer' }, { ...lease, ...viewer });
    expect(await entriesOf(userId)).toEqual({
      organization: { accessRole: 'editor', accessType: 'organizationPrivate' },
      legal: { accessRole: 'viewer', accessType: 'restricted' },
      lease: { ...viewer, accessType: 'restricted' },
      deed: { accessRole: 'viewer', accessType: 'restricted' },
    });
    const nothing = { organization: DENIED, legal: DENIED, lease: DENIED, deed: DENIED };
    expect(await entriesOf(userId, 'other')).toEqual(nothing);
  });

  it('refuses the whole call when one resource is missing, and creates nobody', async () => {
    const userId = fresh('user');
    const events = await eventsDuring(server, async () => {
      const refused = await grant(userId, lease, { ...legal, id: 'missing' });
      expect(failureOf(refused).reason).toBe('folder_not_found');
    });
    expect(events).toEqual([]);
    expect(await exists(userId)).toBe(false);
  });

  const inContext = (access: object) => ({ ...acme, context: { access } });
  it.each([
    ['type', { ...acme, type: 'team' }],
    ['id', { type: 'organization' }],
    ['organizationId', { type: 'folder', id: 'f' }],
    ['accessRole', { ...acme, accessRole: 'owner' }],
    ['expiresAt', { ...acme, expiresAt: 0 }],
    ['expiresAt', { ...acme, expiresAt: 1.5 }],
    ['expiresAt', { ...acme, expiresAt: NOW * 1000 }],
    ['context.access', { ...acme, context: {} }],
    ['context.access.a[0]', inContext({ a: ['\0'] })],
    ['context.access.a[0]', inContext({ a: ['\ud800'] })],
    ['context.access.a', inContext({ a: 'text' })],
    ['context.access.a\0', inContext({ 'a\0': ['b'] })],
    [
      'context.access',
      inContext({ a: Array.from({ length: 300 }, (_, n) => `${n}-`.padEnd(250, 'x')) }),
    ],
  ])('names the field %s of a grant as the problem', async (path, resource) => {
    const { body } = await grant('u', resource);
    expect(body).toEqual(invalid(`permissions.resources[0].${path}`));
  });
});

describe('permissions/add', () => {
  it('replaces an old grant; without a role it keeps the active one, else grants editor', async () => {
    const viewer = { ...lease, accessRole: 'viewer' };
    await add('again', { ...viewer, expiresAt: NOW + 9 });
    expect((await entriesOf('again')).lease).toMatchObject({ expiresAt: NOW + 9 });
    await add('again', lease);
    const kept = { accessRole: 'viewer', accessType: 'restricted' };
    expect((await entriesOf('again')).lease).toEqual(kept);
    await add('ended', { ...viewer, expiresAt: NOW });
    await add('ended', lease);
    expect((await entriesOf('ended')).lease).toMatchObject({ accessRole: 'editor' });
  });

  it('merges the grants on one resource, so that none loosens another', async () => {
    const until = { accessRole: 'viewer', expiresAt: NOW + 5 };
    await add('twice', { ...lease, ...until }, lease);
    expect((await entriesOf('twice')).lease).toEqual({ ...until, accessType: 'restricted' });
  });

  it('publishes each grant in its organization, a repeated one once', async () => {
    const context = { access: { team: ['law'] } };
    const given = { ...lease, accessRole: 'viewer', expiresAt: NOW + 5, context };
    const there = { ...lease, organizationId: 'other' };
    const events = await eventsDuring(server, () => add('observed', lease, there, given));
    const organizations = events.map(({ metadata }) => metadata.organizationId);
    expect(organizations.toSorted()).toEqual(['acme', 'other']);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'permission.add',
        metadata: expect.objectContaining({ organizationId: 'acme', documentId: 'lease' }),
        data: { user: { userId: 'observed' }, permissions: { resources: [given] } },
      }),
    );
    expect((await entriesOf('observed')).lease).toMatchObject({ accessRole: 'viewer' });
  });
});

describe('permissions/remove', () => {
  it('removes the roles and returns no data', async () => {
    await add('leaver', lease, { ...legal, accessRole: 'viewer' });
    expect((await remove('leaver', lease)).body).toEqual({
      result: { status: 'success', message: 'Permissions removed successfully.' },
    });
    expect((await entriesOf('leaver')).lease).toMatchObject({ accessRole: 'viewer' });
    await remove('leaver', legal);
    expect((await entriesOf('leaver')).lease).toEqual(DENIED);
  });

  it('publishes the removed grants only', async () => {
    const held = { ...lease, accessRole: 'viewer' };
    await add('once', held);
    const events = await eventsDuring(server, async () => {
      for (const [userId, ...resources] of [
        ['once', lease, lease, legal, { type: 'organization', id: 'missing' }],
        ['once', lease],
        ['unknown', lease],
      ] as const) {
        expect((await remove(userId, ...resources)).status).toBe(200);
      }
    });
    expect(events).toMatchObject([
      {
        type: 'permission.remove',
        metadata: { organizationId: 'acme', documentId: 'lease' },
        data: { user: { userId: 'once' }, permissions: { resources: [held] } },
      },
    ]);
  });

  it('does not affect grants of another organization', async () => {
    const there = { ...lease, organizationId: 'other' };
    await add('here', lease, there);
    await remove('here', lease);
    expect((await entriesOf('here', 'other')).lease).toMatchObject({ accessRole: 'editor' });
  });
});

describe('a user token', () => {
  it('names the key, the user and the agent, for 48 hours', async () => {
    const agent = { agentId: 'reviewer', name: 'Reviewer', executionId: 'run-1' };
    const data = { userId: 'ada/ü', agent: { ...agent, other: 1 } };
    const { token, expiresAt } = await server.ok('/v2/auth/generate_token', data);
    const { secrets, clock } = server.app.services;
    const tenantId = server.quickstart.apiKey;
    const claims = { tenantId, userId: 'ada/ü', agent, expiresAt };
    expect(await verifyUserToken(secrets, clock, token)).toMatchObject(claims);
    expect(Math.abs(expiresAt - 48 * 3600 - NOW)).toBeLessThan(60);
    const unnamed = { userId: 'ada', agent: { name: 'Nobody' } };
    const refused = await server.call('/v2/auth/generate_token', unnamed);
    expect(refused.body).toEqual(invalid('agent.agentId'));
  });

  it('keeps an explicit initial of its user while the name is the same', async () => {
    const organizationId = 'acme';
    const user = { userId: fresh('user'), name: 'Ada', initial: 'AL' };
    await server.ok('/v1/users/add', { organizationId, users: [user] });
    const initialFor = async (name: string) => {
      const { userId } = user;
      await server.ok('/v2/auth/generate_token', { userId, userProperties: { name } });
      return (await server.ok('/v2/users/get', { organizationId, userIds: [userId] }))[0].initial;
    };
    expect(await initialFor('Ada')).toBe('AL');
    expect(await initialFor('Grace')).toBe('G');
  });
});

describe('auth/revoke_tokens', () => {
  const revoke = (...userIds: string[]) => server.ok('/v2/auth/revoke_tokens', { userIds });
  const unknown = (id: string) => ({ success: false, id, message: 'User does not exist.' });

  it('says of each user whether there was one', async () => {
    await userToken(server, 'ada');
    expect(await revoke('ada', 'nobody')).toEqual({
      ada: { success: true, id: 'ada', message: 'Tokens revoked.' },
      nobody: unknown('nobody'),
    });
  });

  it('knows no users of another key, and ends none of their tokens', async () => {
    const token = await userToken(server, 'theirs', undefined, await createTenant(server));
    expect(await revoke('theirs')).toEqual({ theirs: unknown('theirs') });
    const headers = { authorization: `Bearer ${token}` };
    await server.ok('/v2/auth/generate_stream_ticket', {}, headers);
  });
});

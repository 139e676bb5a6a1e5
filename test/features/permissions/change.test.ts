import { describe, expect, it } from 'vitest';
import { verifyUserToken } from '../../../src/api/credentials/user-tokens.ts';
import { failureOf, fresh, invalid } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { userToken } from '../../support/editors.ts';
import { eventsDuring, storedEvents } from '../../support/events.ts';
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
  const query = { organizationId, userIds: [userId], ...ids };
  const data = await server.ok('/v2/auth/permissions/get', query);
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

  it('names the invalid field of a grant', async () => {
    const large = Array.from({ length: 300 }, (_, n) => `${n}-`.padEnd(250, 'x'));
    for (const [path, resource] of Object.entries({
      type: { type: 'team' },
      id: { id: undefined },
      organizationId: { type: 'folder', id: 'f' },
      accessRole: { accessRole: 'owner' },
      'context.access': { context: {} },
    })) {
      await expectInvalid(path, resource);
    }
    for (const expiresAt of [0, 1.5, NOW * 1000]) await expectInvalid('expiresAt', { expiresAt });
    for (const [path, access] of [
      ['.a[0]', { a: ['\0'] }],
      ['.a[0]', { a: ['\ud800'] }],
      ['.a', { a: 'text' }],
      ['.a\0', { 'a\0': ['b'] }],
      ['', { a: large }],
    ] as const) {
      await expectInvalid(`context.access${path}`, { context: { access } });
    }
  });

  async function expectInvalid(path: string, resource: object): Promise<void> {
    const { body } = await grant('u', { ...acme, ...resource });
    expect(body, path).toEqual(invalid(`permissions.resources[0].${path}`));
  }
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
    const stored = await storedEvents(server, { types: ['permission.add'] });
    const channels = ['organization:acme', 'document:lease', 'user:observed'];
    expect(stored.map((event) => event.channels)).toContainEqual(channels);
    expect((await entriesOf('observed')).lease).toMatchObject({ accessRole: 'viewer' });
  });
});

describe('permissions/remove', () => {
  it('removes the roles of one organization, and returns no data', async () => {
    await add('leaver', lease, { ...legal, accessRole: 'viewer' });
    await add('leaver', { ...lease, organizationId: 'other' });
    expect((await remove('leaver', lease)).body).toEqual({
      result: { status: 'success', message: 'Permissions removed successfully.' },
    });
    expect((await entriesOf('leaver')).lease).toMatchObject({ accessRole: 'viewer' });
    await remove('leaver', legal);
    expect((await entriesOf('leaver')).lease).toEqual(DENIED);
    expect((await entriesOf('leaver', 'other')).lease).toMatchObject({ accessRole: 'editor' });
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

it('auth/revoke_tokens says of each user whether there was one, and ends no token of another key', async () => {
  await userToken(server, 'ada');
  const token = await userToken(server, 'theirs', undefined, await createTenant(server));
  const unknown = (id: string) => ({ success: false, id, message: 'User does not exist.' });
  const userIds = ['ada', 'nobody', 'theirs'];
  expect(await server.ok('/v2/auth/revoke_tokens', { userIds })).toEqual({
    ada: { success: true, id: 'ada', message: 'Tokens revoked.' },
    nobody: unknown('nobody'),
    theirs: unknown('theirs'),
  });
  const headers = { authorization: `Bearer ${token}` };
  await server.ok('/v2/auth/generate_stream_ticket', {}, headers);
});

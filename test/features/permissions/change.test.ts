import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { eventsDuring } from '../../support/events.ts';
import { createTenant, testServer } from '../../support/server.ts';

const NOW = 1_800_000_000;

const server = testServer({ ROLES: 'api' }, { clock: { now: () => NOW * 1000 } });
beforeAll(async () => {
  for (const organizationId of ['acme', 'other']) {
    await ok('/v2/organizations/folders/add', {
      organizationId,
      createOrganization: true,
      folders: [{ folderId: 'legal', accessType: 'restricted' }],
    });
    await ok('/v2/organizations/documents/add', {
      organizationId,
      folderId: 'legal',
      documents: [{ documentId: 'lease' }, { documentId: 'deed' }],
    });
  }
});

const ok = async (path: string, data: object) => dataOf(await server.call(path, data));

const add = (userId: string, resources: object[]) =>
  server.call('/v2/auth/permissions/add', { user: { userId }, permissions: { resources } });
const remove = (userId: string, resources: object[]) =>
  server.call('/v2/auth/permissions/remove', { user: { userId }, permissions: { resources } });

async function entryOf(userId: string, documentId: string, organizationId = 'acme') {
  const query = { organizationId, userIds: [userId], documentIds: [documentId] };
  return (await ok('/v2/auth/permissions/get', query))[userId].documents[documentId];
}

const eventsOf = (work: () => Promise<unknown>) => eventsDuring(server, work);

const lease = { type: 'document', id: 'lease', organizationId: 'acme' };
const legal = { type: 'folder', id: 'legal', organizationId: 'acme' };

/** The event sequencer has its own transactions. */

describe('permissions/add', () => {
  it('grants the roles, creates unknown users, and returns no data', async () => {
    expect((await add('new', [{ ...lease, accessRole: 'viewer' }])).body).toEqual({
      result: { status: 'success', message: 'Permissions added successfully.' },
    });
    const viewer = { accessRole: 'viewer', accessType: 'restricted' };
    expect(await entryOf('new', 'lease')).toEqual(viewer);
    const denied = { errorCode: 'permission_denied' };
    expect(await entryOf('new', 'deed')).toMatchObject(denied);
    expect(await entryOf('new', 'lease', 'other')).toMatchObject(denied);
  });

  it('refuses the whole call when one resource is missing, and creates nobody', async () => {
    const events = await eventsOf(async () => {
      const { body } = await add('refused', [lease, { ...legal, id: 'missing' }]);
      expect(body.error.details.reason).toBe('folder_not_found');
    });
    expect(events).toEqual([]);
    const update = { organizationId: 'acme', users: [{ userId: 'refused', name: 'R' }] };
    expect((await ok('/v2/users/update', update)).refused.success).toBe(false);
  });

  it('replaces an old grant; without a role it keeps the active one, else grants editor', async () => {
    await add('again', [{ ...lease, accessRole: 'viewer', expiresAt: NOW + 9 }]);
    expect(await entryOf('again', 'lease')).toMatchObject({ expiresAt: NOW + 9 });
    await add('again', [lease]);
    expect(await entryOf('again', 'lease')).toEqual({
      accessRole: 'viewer',
      accessType: 'restricted',
    });
    await add('ended', [{ ...lease, accessRole: 'viewer', expiresAt: NOW }]);
    await add('ended', [lease]);
    expect(await entryOf('ended', 'lease')).toMatchObject({ accessRole: 'editor' });
  });

  it('applies the last entry of a repeated resource', async () => {
    const events = await eventsOf(() =>
      add('twice', [
        { ...lease, accessRole: 'editor' },
        { ...legal, accessRole: 'editor' },
        { ...lease, accessRole: 'viewer' },
      ]),
    );
    expect(events).toHaveLength(2);
    expect(await entryOf('twice', 'lease')).toMatchObject({ accessRole: 'viewer' });
  });

  it('publishes each grant in its organization', async () => {
    const context = { access: { team: ['law'] } };
    const given = { ...lease, accessRole: 'viewer', expiresAt: NOW + 5, context };
    const [event] = await eventsOf(() => add('observed', [given]));
    expect(event).toMatchObject({
      type: 'permission.add',
      metadata: { organizationId: 'acme', documentId: 'lease' },
      data: { user: { userId: 'observed' }, permissions: { resources: [given] } },
    });
  });
});

describe('permissions/remove', () => {
  it('removes the roles and returns no data', async () => {
    await add('leaver', [lease, { ...legal, accessRole: 'viewer' }]);
    expect((await remove('leaver', [lease])).body).toEqual({
      result: { status: 'success', message: 'Permissions removed successfully.' },
    });
    expect(await entryOf('leaver', 'lease')).toMatchObject({ accessRole: 'viewer' });
    await remove('leaver', [legal]);
    expect(await entryOf('leaver', 'lease')).toMatchObject({ errorCode: 'permission_denied' });
  });

  it('publishes the removed grants only', async () => {
    await add('once', [{ ...lease, accessRole: 'viewer' }]);
    const missing = { type: 'organization', id: 'missing' };
    const events = await eventsOf(async () => {
      expect((await remove('once', [lease, lease, legal, missing])).status).toBe(200);
      expect((await remove('once', [lease])).status).toBe(200);
      expect((await remove('unknown', [lease])).status).toBe(200);
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: 'permission.remove',
      metadata: { organizationId: 'acme', documentId: 'lease' },
      data: {
        user: { userId: 'once' },
        permissions: { resources: [{ ...lease, accessRole: 'viewer' }] },
      },
    });
  });

  it('does not affect grants of another key or organization', async () => {
    await add('here', [lease, { ...lease, organizationId: 'other' }]);
    await remove('here', [lease]);
    expect(await entryOf('here', 'lease', 'other')).toMatchObject({ accessRole: 'editor' });
    const other = await createTenant(server);
    const resources = [{ ...lease, organizationId: 'other' }];
    const data = { user: { userId: 'here' }, permissions: { resources } };
    await server.call('/v2/auth/permissions/remove', data, other);
    expect(await entryOf('here', 'lease', 'other')).toMatchObject({ accessRole: 'editor' });
  });
});

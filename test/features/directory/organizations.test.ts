import { describe, expect, it } from 'vitest';
import { type Directory, directoryOf } from '../../support/directory.ts';
import { testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });
const directory = directoryOf(server);

const call: Directory['call'] = (...args) => directory.call(...args);
const eventsOf: Directory['eventsOf'] = (...args) => directory.eventsOf(...args);

describe('organizations/add', () => {
  it('adds organizations with their own fields, and publishes each', async () => {
    const { message, data } = await call('add', {
      organizations: [
        { organizationId: 'add-1', organizationName: 'One', plan: 'team' },
        { organizationId: 'add-2' },
      ],
    });
    expect(message).toBe('Organization(s) added successfully.');
    expect(data).toEqual({
      'add-1': { success: true, id: 'add-1', message: 'Organization added.' },
      'add-2': { success: true, id: 'add-2', message: 'Organization added.' },
    });
    const got = await call('get', { organizationIds: ['add-2', 'add-1', 'nobody'] });
    expect(got.data).toEqual([
      { organizationId: 'add-1', organizationName: 'One', plan: 'team' },
      { organizationId: 'add-2', organizationName: 'add-2' },
    ]);
    expect(await eventsOf('add-1')).toMatchObject([
      {
        type: 'organization.add',
        data: { organizationId: 'add-1', organizationName: 'One', plan: 'team' },
      },
    ]);
  });

  it('leaves an existing organization unchanged, and says so', async () => {
    await call('add', { organizations: [{ organizationId: 'twice', organizationName: 'First' }] });
    const { data } = await call('add', {
      organizations: [{ organizationId: 'twice', organizationName: 'Second' }],
    });
    expect(data.twice).toEqual({
      success: false,
      id: 'twice',
      message: 'Organization already exists.',
    });
    const got = await call('get', { organizationIds: ['twice'] });
    expect(got.data).toEqual([{ organizationId: 'twice', organizationName: 'First' }]);
  });
});

describe('organizations/update', () => {
  it('changes the given fields, merges own fields, and publishes the previous state', async () => {
    await call('add', {
      organizations: [{ organizationId: 'upd', organizationName: 'Old', a: 1, b: { c: 2 } }],
    });
    const { data } = await call('update', {
      organizations: [{ organizationId: 'upd', b: 3, d: null }, { organizationId: 'unknown' }],
    });
    expect(data).toEqual({
      upd: { success: true, id: 'upd', message: 'Organization updated.' },
      unknown: { success: false, id: 'unknown', message: 'Organization does not exist.' },
    });
    const now = { organizationId: 'upd', organizationName: 'Old', a: 1, b: 3, d: null };
    expect((await call('get', { organizationIds: ['upd'] })).data).toEqual([now]);
    const [, event] = await eventsOf('upd');
    const previous = { organizationId: 'upd', organizationName: 'Old', a: 1, b: { c: 2 } };
    expect(event).toMatchObject({ type: 'organization.update', data: { ...now, previous } });
  });

  it('refuses fields that exceed the limit after merging, for that organization only', async () => {
    const big = 'x'.repeat(10_000);
    await call('add', { organizations: [{ organizationId: 'big', one: big }] });
    await call('add', { organizations: [{ organizationId: 'small' }] });
    const { data } = await call('update', {
      organizations: [
        { organizationId: 'big', two: big },
        { organizationId: 'small', two: big },
      ],
    });
    expect(data.big).toMatchObject({ success: false, message: expect.stringContaining('larger') });
    expect(data.small.success).toBe(true);
  });
});

describe('organizations/delete', () => {
  it('publishes the deletion of everything in it, and a new one of the same id starts empty', async () => {
    const organizationId = 'doomed';
    const folders = [
      { folderId: 'f', accessType: 'restricted' },
      { folderId: 'g', parentFolderId: 'f' },
    ];
    const place = { organizationId, createOrganization: true };
    await call('folders/add', { ...place, folders });
    await call('documents/add', { ...place, folderId: 'g', documents: [{ documentId: 'in' }] });
    await call('documents/add', { ...place, documents: [{ documentId: 'out' }] });
    for (const level of [{}, { folderId: 'f' }, { documentId: 'in' }]) {
      await server.call('/v1/users/add', { organizationId, ...level, users: [{ userId: 'ada' }] });
    }
    const { data } = await call('delete', { organizationIds: [organizationId, 'nobody'] });
    expect(data).toEqual({
      doomed: { success: true, id: 'doomed', message: 'Organization deleted.' },
      nobody: { success: false, id: 'nobody', message: 'Organization does not exist.' },
    });
    const deletions = (await eventsOf(organizationId)).filter(({ type }) =>
      type.endsWith('.delete'),
    );
    expect(
      deletions.map(({ type, data }) => [type, data.id ?? data.folderId, data.accessType]),
    ).toEqual([
      ['document.delete', 'in', 'restricted'],
      ['document.delete', 'out', 'public'],
      ['folder.delete', 'f', 'restricted'],
      ['folder.delete', 'g', 'restricted'],
      ['organization.delete', undefined, undefined],
    ]);
    await call('folders/add', { ...place, folders });
    const query = { organizationId, userIds: ['ada'], folderIds: ['f'] };
    const permissions = await server.call('/v2/auth/permissions/get', query);
    const { folders: shown, organization } = permissions.body.result.data.ada;
    expect(shown.f.errorCode).toBe('permission_denied');
    expect(organization.doomed.errorCode).toBe('permission_denied');
  });

  it('never adds a document to a deleted organization, and leaves none behind', async () => {
    for (let round = 0; round < 5; round++) {
      const organizationId = `racing-${round}`;
      await call('add', { organizations: [{ organizationId }] });
      const [, ...adding] = await Promise.all([
        call('delete', { organizationIds: [organizationId] }),
        ...Array.from({ length: 5 }, (_, index) =>
          server.call('/v2/organizations/documents/add', {
            organizationId,
            documents: [{ documentId: `d-${index}` }],
          }),
        ),
      ]);
      for (const { status, body } of adding) {
        if (status !== 200) expect(body.error.details.reason).toBe('organization_not_found');
      }
      const { rows } = await server.app.services.db.pool.query(
        'SELECT 1 FROM documents WHERE tenant_id = $1 AND organization_id = $2',
        [server.quickstart.apiKey, organizationId],
      );
      expect(rows).toEqual([]);
      const types = (await eventsOf(organizationId)).map(({ type }) => type);
      const count = (wanted: string) =>
        types.filter((type) => type === `document.${wanted}`).length;
      expect(count('delete')).toBe(count('add'));
    }
  });
});

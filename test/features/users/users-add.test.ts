import { describe, expect, it } from 'vitest';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { eventsOf } from '../../support/events.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();

const add = (data: object) => server.call('/v1/users/add', data);
const ada = { userId: 'ada', name: 'Ada Lovelace' };

interface PermissionsQuery {
  organizationId: string;
  userIds?: string[];
  folderIds?: string[];
  documentIds?: string[];
}

/** The permissions of the single requested user, or of all users by id. */
async function permissions(query: PermissionsQuery) {
  const all = { userIds: ['ada'], ...query };
  const data = dataOf(await server.call('/v2/auth/permissions/get', all));
  return all.userIds.length === 1 ? data[all.userIds[0] ?? ''] : data;
}

/** The published events about the organization's users, oldest first. */
const userEvents = (organizationId: string) =>
  eventsOf(server, organizationId, ['user.add', 'user.update']);

async function addFolders(organizationId: string, folders: object[]) {
  const input = { organizationId, createOrganization: true, folders };
  dataOf(await server.call('/v2/organizations/folders/add', input));
}

async function addDocuments(organizationId: string, documents: object[], folderId?: string) {
  const input = { organizationId, createOrganization: true, documents, folderId };
  dataOf(await server.call('/v2/organizations/documents/add', input));
}

const DENIED = expect.objectContaining({ errorCode: 'permission_denied' });
const editor = (accessType: string) => ({ accessRole: 'editor', accessType });

describe('users/add', () => {
  it('gives access to all documents of the organization except restricted ones (rule 2)', async () => {
    const organizationId = fresh('org');
    await addFolders(organizationId, [{ folderId: 'closed', accessType: 'restricted' }]);
    await addDocuments(organizationId, [
      { documentId: 'public' },
      { documentId: 'private', accessType: 'organizationPrivate' },
      { documentId: 'restricted', accessType: 'restricted' },
    ]);
    await addDocuments(organizationId, [{ documentId: 'inside' }], 'closed');
    await add({ organizationId, users: [ada] });
    const documentIds = ['public', 'private', 'restricted', 'inside'];
    expect(await permissions({ organizationId, documentIds })).toEqual({
      organization: { [organizationId]: editor('organizationPrivate') },
      documents: {
        public: editor('public'),
        private: editor('organizationPrivate'),
        restricted: DENIED,
        inside: DENIED,
      },
    });
  });

  it('adds to the folder only, and so to its documents (rule 3)', async () => {
    const organizationId = fresh('org');
    const folders = ['ours', 'other'].map((folderId) => ({ folderId, accessType: 'restricted' }));
    await addFolders(organizationId, [...folders, { folderId: 'below', parentFolderId: 'ours' }]);
    for (const folderId of ['ours', 'below', 'other']) {
      await addDocuments(organizationId, [{ documentId: `in ${folderId}` }], folderId);
    }
    await addDocuments(organizationId, [{ documentId: 'outside', accessType: 'restricted' }]);
    await add({ organizationId, folderId: 'ours', users: [ada] });
    const folderIds = ['ours', 'below', 'other'];
    const documentIds = ['in ours', 'in below', 'in other', 'outside'];
    expect(await permissions({ organizationId, folderIds, documentIds })).toEqual({
      organization: { [organizationId]: DENIED },
      folders: { ours: editor('restricted'), below: editor('restricted'), other: DENIED },
      documents: {
        'in ours': editor('restricted'),
        'in below': editor('restricted'),
        'in other': DENIED,
        outside: DENIED,
      },
    });
  });

  it('adds to the document only, not to its folder or organization (rule 4)', async () => {
    const organizationId = fresh('org');
    await addFolders(organizationId, [{ folderId: 'closed', accessType: 'restricted' }]);
    await addDocuments(organizationId, [{ documentId: 'a' }, { documentId: 'b' }], 'closed');
    await add({ organizationId, documentId: 'a', users: [ada] });
    const query = { organizationId, folderIds: ['closed'], documentIds: ['a', 'b'] };
    expect(await permissions(query)).toEqual({
      organization: { [organizationId]: DENIED },
      folders: { closed: DENIED },
      documents: { a: editor('restricted'), b: DENIED },
    });
  });

  it('adds at several levels by several calls, each with its own role (rule 5)', async () => {
    const organizationId = fresh('org');
    await addFolders(organizationId, [{ folderId: 'f' }]);
    await addDocuments(organizationId, [{ documentId: 'in f' }], 'f');
    const withRole = (accessRole: string) => [{ ...ada, accessRole }];
    await add({ organizationId, users: withRole('editor') });
    await add({ organizationId, folderId: 'f', users: withRole('viewer') });
    await add({ organizationId, documentId: 'in f', users: withRole('editor') });
    const query = { organizationId, folderIds: ['f'], documentIds: ['in f'] };
    expect(await permissions(query)).toEqual({
      organization: { [organizationId]: editor('organizationPrivate') },
      folders: { f: { accessRole: 'viewer', accessType: 'public' } },
      documents: { 'in f': editor('public') },
    });
  });

  it.each([
    [{ name: '  émile' }, 'É'],
    [{ name: '' }, ''],
    [{ name: 'Ada', initial: 'Q' }, 'Q'],
    [{ name: 'Ada', initial: '' }, ''],
    [{}, undefined],
  ])('derives the initial of %j: %j (rule 6)', async (user, initial) => {
    const organizationId = fresh('org');
    await add({ organizationId, users: [{ userId: fresh('user'), ...user }] });
    const [published] = await userEvents(organizationId);
    expect(published?.data.initial).toBe(initial);
  });
});

describe('users/add to a document', () => {
  it('creates a missing document, and leaves an existing one unchanged', async () => {
    const organizationId = fresh('org');
    const plan = { documentName: 'Plan', accessType: 'restricted', tag: 'x' };
    await addDocuments(organizationId, [{ documentId: 'd', ...plan }]);
    for (const documentId of ['d', 'new']) await add({ organizationId, documentId, users: [ada] });
    expect(
      dataOf(await server.call('/v2/organizations/documents/get', { organizationId })),
    ).toEqual([
      { id: 'd', disabled: false, ...plan },
      { id: 'new', documentName: 'new', disabled: false, accessType: 'public' },
    ]);
  });
});

describe('users/add for existing users', () => {
  it('updates the given fields and keeps the others', async () => {
    const organizationId = fresh('org');
    const userId = fresh('user');
    const known = { userId, email: 'ada@example.com', accessRole: 'viewer', title: 'Countess' };
    await add({ organizationId, users: [{ ...known, name: 'Ada Lovelace' }] });
    const users = [{ userId, name: 'King', age: 36 }];
    expect(dataOf(await add({ organizationId, users }))).toEqual({
      [userId]: { success: true, id: userId, message: 'User updated.' },
    });
    const [, updated] = await userEvents(organizationId);
    expect(updated).toMatchObject({ type: 'user.update' });
    expect(updated?.data).toEqual({ ...known, name: 'King', age: 36, initial: 'K' });
  });

  it('keeps the role if none is given, and changes it if one is', async () => {
    const organizationId = fresh('org');
    const roleAfter = async (accessRole?: string) => {
      await add({ organizationId, users: [{ userId: 'ada', accessRole }] });
      return (await permissions({ organizationId })).organization[organizationId].accessRole;
    };
    expect(await roleAfter()).toBe('editor');
    expect(await roleAfter('viewer')).toBe('viewer');
    expect(await roleAfter()).toBe('viewer');
    expect(await roleAfter('editor')).toBe('editor');
  });

  it.each([undefined, 'viewer'])(
    'keeps the access context of an expired role (%s)',
    async (accessRole) => {
      const organizationId = fresh('org');
      await addDocuments(organizationId, [{ documentId: 'ended' }, { documentId: 'lasting' }]);
      const until = (id: string, expiresAt: number) => {
        const context = { access: { team: [id] } };
        return { type: 'document', id, organizationId, expiresAt, context };
      };
      const resources = [until('ended', 1), until('lasting', 4e9)];
      const permission = { user: { userId: 'ada' }, permissions: { resources } };
      expect((await server.call('/v2/auth/permissions/add', permission)).status).toBe(200);
      for (const documentId of ['ended', 'lasting']) {
        dataOf(await add({ organizationId, documentId, users: [{ userId: 'ada', accessRole }] }));
      }
      const documentIds = ['ended', 'lasting'];
      const { context } = await permissions({ organizationId, documentIds });
      expect(context).toEqual({ accessFields: ['team:lasting'] });
    },
  );

  it('reports a user as added in a place where the user was not', async () => {
    const [here, there] = [fresh('org'), fresh('org')];
    await add({ organizationId: here, users: [ada] });
    const message = async (data: object) =>
      dataOf(await add({ ...data, users: [ada] })).ada.message;
    expect(await message({ organizationId: there })).toBe('User added.');
    expect(await message({ organizationId: here, documentId: 'd' })).toBe('User added.');
    expect(await message({ organizationId: here, documentId: 'd' })).toBe('User updated.');
  });
});

describe('users/add with many users', () => {
  it('accepts 1,000 users, refuses 1,001, a folder beside a document, and an unknown folder', async () => {
    const organizationId = fresh('org');
    const users = Array.from({ length: 1001 }, (_, number) => ({ userId: `u${number}` }));
    expect((await add({ organizationId, users })).body).toEqual(invalid('users'));
    const both = await add({ organizationId, folderId: 'f', documentId: 'd', users: [ada] });
    expect(both.body).toEqual(invalid('folderId'));
    const unknown = await add({ organizationId, folderId: 'missing', users: [ada] });
    expect(failureOf(unknown).reason).toBe('folder_not_found');
    const query = { organizationId, userIds: ['ada'] };
    expect((await server.call('/v2/auth/permissions/get', query)).status).toBe(404);
    const outcomes = dataOf(await add({ organizationId, users: users.slice(1) }));
    expect(Object.keys(outcomes)).toHaveLength(1000);
  });

  it('counts a repeated user once, with the last value of each given field', async () => {
    const [organizationId = '', userId = '', other = ''] = [fresh('org'), fresh('a'), fresh('b')];
    const users = [
      { userId, name: 'First', accessRole: 'editor' },
      { userId: other },
      { userId, name: 'Last', accessRole: 'viewer' },
      { userId, team: 'law' },
    ];
    expect(Object.keys(dataOf(await add({ organizationId, users }))).sort()).toEqual([
      userId,
      other,
    ]);
    const published = (await userEvents(organizationId)).map(({ data }) => data);
    expect(published).toHaveLength(2);
    const joined = { userId, name: 'Last', initial: 'L', accessRole: 'viewer', team: 'law' };
    expect(published).toContainEqual(joined);
  });
});

describe("the caller's own fields of a user", () => {
  it('are limited to 16 KB, counted in bytes, including the stored ones', async () => {
    const userOf = (bytes: number) => ({ userId: 'u', note: 'é'.repeat((bytes - 11) / 2) });
    const [organizationId = '', userId = ''] = [fresh('org'), fresh('user')];
    dataOf(await add({ organizationId, users: [userOf(16_383)] }));
    const tooMuch = await add({ organizationId, users: [{ userId: 'v' }, userOf(16_385)] });
    expect(tooMuch.body).toEqual(invalid('users[1]'));
    const more = (field: string) =>
      add({ organizationId, users: [{ userId, [field]: 'x'.repeat(10_000) }] });
    dataOf(await more('one'));
    dataOf(await more('one'));
    expect((await more('two')).body).toEqual(invalid('users'));
    expect(await userEvents(organizationId)).toHaveLength(3);
  });

  it('must be storable as JSON and as text', async () => {
    const send = (text: string) =>
      server.call('/v1/users/add', JSON.parse(`{"organizationId":"o","users":[${text}]}`));
    for (const text of ['{"userId":"u","a":"\\u0000"}', '{"userId":"u","\\ud800":1}']) {
      expect((await send(text)).body).toEqual(invalid('users[0]'));
    }
  });

  it.each([
    ['name', 'n'.repeat(1000), 'n'.repeat(1001)],
    ['initial', 'i'.repeat(1000), 'i'.repeat(1001)],
    ['userId', 'u'.repeat(256), 'u'.repeat(257)],
  ])('%s has a maximum length', async (field, longest, tooLong) => {
    const organizationId = fresh('org');
    dataOf(await add({ organizationId, users: [{ userId: 'u', [field]: longest }] }));
    const [published] = await userEvents(organizationId);
    expect(published?.data[field]).toBe(longest);
    const refused = await add({ organizationId, users: [{ userId: 'u', [field]: tooLong }] });
    expect(refused.body).toEqual(invalid(`users[0].${field}`));
  });
});

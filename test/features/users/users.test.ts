import { beforeEach, describe, expect, it } from 'vitest';
import { userHeaders } from '../../support/annotations.ts';
import { failureOf, type Headers, invalid, type Loose } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventsDuring } from '../../support/events.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { createTenant, testServer } from '../../support/server.ts';

const NOW = 1_800_000_000;

const server = testServer({}, { clock: { now: () => NOW * 1000 + 999 } });
let headers: Headers;
beforeEach(async () => {
  headers = await createTenant(server);
});

const organizationId = 'acme';
const call = (path: string, data: object, own = headers) =>
  server.call(path, { organizationId, ...data }, own);
const ok = (path: string, data: object, own = headers) =>
  server.ok(path, { organizationId, ...data }, own);

const add = (users: object[], place: object = {}) => ok('/v1/users/add', { ...place, users });
const update = (users: object[], place: object = {}) => ok('/v2/users/update', { ...place, users });
const remove = (userIds: string[], place: object = {}) =>
  ok('/v2/users/delete', { ...place, userIds });
const get = (place: object = {}, own = headers): Promise<Loose[]> =>
  ok('/v2/users/get', place, own);
const idsAt = async (place: object = {}, own = headers) =>
  (await get(place, own)).map(({ userId }) => userId);
const give = (userId: string, ...resources: object[]) =>
  ok('/v2/auth/permissions/add', { user: { userId }, permissions: { resources } });
const join = (organizationUserGroupId: string, userIds: string[]) =>
  ok('/v1/organizations/usergroups/users/add', { organizationUserGroupId, userIds });
const during = (work: () => Promise<unknown>) => eventsDuring(server, work, headers);
const failed = (id: string, message: string) => ({ success: false, id, message });
/** Whether the key has the user. */
const exists = async (userId: string) => (await update([{ userId }]))[userId].success;
const onDocument = (id: string, more: object = {}) => ({
  type: 'document',
  id,
  organizationId,
  ...more,
});

const folders = [
  { folderId: 'ours', accessType: 'restricted' },
  { folderId: 'below', parentFolderId: 'ours' },
  { folderId: 'other', accessType: 'restricted' },
];
const documents = [
  { documentId: 'public' },
  { documentId: 'private', accessType: 'organizationPrivate' },
  { documentId: 'restricted', accessType: 'restricted' },
  { documentId: 'in ours', folderId: 'ours' },
  { documentId: 'in below', folderId: 'below' },
  { documentId: 'in other', folderId: 'other' },
];

describe('users/add', () => {
  it('derives the initial from the name (rule 6)', async () => {
    const initials = {
      ...{ 'Ada Lovelace': 'A', ada: 'A', '  émile': 'É', '  e\u0301mile': 'E\u0301' },
      ...{ '👩‍🚀 Sally': '👩‍🚀', '👨‍👩‍👧‍👦': '👨‍👩‍👧‍👦', '🇫🇷 Marie': '🇫🇷', 𝒜da: '𝒜', şükrü: 'Ş' },
      ...{ ليلى: 'ل', שרה: 'ש', 李雷: '李', नमिता: 'न', '7 of 9': '7', '': '', '   ': '' },
    };
    await add(Object.keys(initials).map((name, at) => ({ userId: `user-${at}`, name })));
    const shown = (await get()).map(({ name, initial }) => [name, initial]);
    expect(Object.fromEntries(shown)).toEqual(initials);
    const [a, b] = [
      { name: 'A', initial: 'Q' },
      { name: 'B', initial: '' },
    ];
    await add([{ userId: 'a', ...a }, { userId: 'b', ...b }, { userId: 'c' }]);
    const given = await get({ userIds: ['a', 'b', 'c'] });
    expect(given.map(({ initial }) => initial)).toEqual(['Q', '', undefined]);
  });

  it('keeps an explicit initial while the name stays, and updates a derived one with the name', async () => {
    const own = { userId: 'own', name: 'Bob', initial: 'XY' };
    const initials = async () => (await get()).map(({ initial }) => initial);
    await add([own, { userId: 'derived', name: 'Bob' }, { userId: 'none' }]);
    await add([
      { userId: 'own', name: 'Bob' },
      { userId: 'derived', name: 'Dora' },
    ]);
    expect(await initials()).toEqual(['D', undefined, 'XY']);
    await update(['none', 'own'].map((userId) => ({ userId, name: 'Eve' })));
    expect(await initials()).toEqual(['D', 'E', 'XY']);
  });

  it('keeps an initial that another call is giving at the same time', async () => {
    const user = { userId: 'own', name: 'Bob' };
    await add([{ ...user, initial: 'XY' }]);
    const other = await holdTransaction(
      server.databaseUrl,
      "UPDATE users SET initial = 'Z' WHERE tenant_id = $1 AND user_id = 'own'",
      [headers['x-svc-api-key']],
    );
    const added = add([user]);
    await other.holdsUp(1, 'INSERT INTO users');
    await other.release();
    await added;
    expect((await get()).map(({ initial }) => initial)).toEqual(['Z']);
  });

  it('creates a missing document, and leaves an existing one unchanged', async () => {
    const plan = { documentName: 'Plan', accessType: 'restricted', tag: 'x' };
    const document = { documentId: 'd', ...plan };
    await organize(server, organizationId, { documents: [document] }, headers);
    for (const documentId of ['d', 'new']) await add([{ userId: 'ada' }], { documentId });
    expect(await ok('/v2/organizations/documents/get', {})).toEqual([
      { id: 'd', disabled: false, ...plan },
      { id: 'new', documentName: 'new', disabled: false, accessType: 'public' },
    ]);
  });

  it('updates the given fields of existing users, and keeps the others', async () => {
    const known = { userId: 'ada', email: 'ada@example.com', accessRole: 'viewer', title: 'Dr' };
    await add([{ ...known, name: 'Ada Lovelace' }]);
    const [event] = await during(async () => {
      expect(await add([{ userId: 'ada', name: 'King', age: 36 }])).toEqual({
        ada: { success: true, id: 'ada', message: 'User updated.' },
      });
    });
    const now = { ...known, name: 'King', age: 36, initial: 'K' };
    const previous = { ...known, name: 'Ada Lovelace', initial: 'A' };
    expect(event).toMatchObject({ type: 'user.update', data: { ...now, previous } });
    expect(await get()).toEqual([now]);
  });

  it('keeps the role if none is given, changes it if one is, and says where the user is new', async () => {
    const outcomeOf = async (place: object, accessRole?: string) => {
      const { ada } = await add([{ userId: 'ada', accessRole }], place);
      return [ada.message, (await get(place))[0]?.accessRole];
    };
    expect(await outcomeOf({})).toEqual(['User added.', 'editor']);
    expect(await outcomeOf({}, 'viewer')).toEqual(['User updated.', 'viewer']);
    expect(await outcomeOf({})).toEqual(['User updated.', 'viewer']);
    for (const place of [{ organizationId: 'other' }, { documentId: 'd' }]) {
      expect(await outcomeOf(place)).toEqual(['User added.', 'editor']);
    }
  });

  it.each([undefined, 'viewer'])('keeps the context of an active role (%s)', async (accessRole) => {
    await organize(server, organizationId, { documents: ['ended', 'lasting'] }, headers);
    const until = (id: string, expiresAt: number) =>
      onDocument(id, { expiresAt, context: { access: { team: [id] } } });
    await give('ada', until('ended', NOW), until('lasting', NOW + 1));
    const documentIds = ['ended', 'lasting'];
    for (const documentId of documentIds)
      await add([{ userId: 'ada', accessRole }], { documentId });
    const { ada } = await ok('/v2/auth/permissions/get', { userIds: ['ada'], documentIds });
    expect(ada.context).toEqual({ accessFields: ['team:lasting'] });
  });

  it('leaves a temporary role temporary, unless a role is given', async () => {
    await organize(server, organizationId, {}, headers);
    const until = { type: 'organization', id: organizationId, expiresAt: NOW + 60 };
    await give('ada', { ...until, accessRole: 'viewer' });
    await give('given', { ...until, accessRole: 'viewer' });
    await give('ended', { ...until, expiresAt: NOW });
    const userIds = ['ada', 'given', 'ended'];
    await add(
      userIds.map((userId) => ({ userId, accessRole: userId === 'given' ? 'editor' : undefined })),
    );
    const { ada, given, ended } = await ok('/v2/auth/permissions/get', { userIds });
    const kept = { accessRole: 'viewer', expiresAt: NOW + 60 };
    expect(ada.organization[organizationId]).toMatchObject(kept);
    for (const { organization } of [given, ended]) {
      expect(organization[organizationId].accessRole).toBe('editor');
      expect(organization[organizationId]).not.toHaveProperty('expiresAt');
    }
  });

  it('refuses an unknown folder, which adds nothing', async () => {
    const nowhere = { folderId: 'missing', users: [{ userId: 'ada' }] };
    expect(failureOf(await call('/v1/users/add', nowhere)).reason).toBe('folder_not_found');
    expect((await call('/v2/users/get', {})).status).toBe(400);
  });
});

it("the caller's own fields of a user must be storable as JSON and as text", async () => {
  for (const user of ['{"userId":"u","a":"\\u0000"}', '{"userId":"u","\\ud800":1}']) {
    const users = JSON.parse(`[${user}]`);
    expect((await call('/v1/users/add', { users })).body).toEqual(invalid('users[0]'));
  }
});

it.each([
  ['/v1/users/add', { users: [{ userId: 'ada' }] }],
  ['/v2/users/get', {}],
  ['/v2/users/update', { users: [{ userId: 'ada' }] }],
  ['/v2/users/delete', { userIds: ['ada'] }],
  ['/v2/auth/permissions/explain', { userId: 'ada' }],
])('%s accepts a document or a folder, not both', async (path, data) => {
  const both = { folderId: 'ours', documentId: 'public', ...data };
  expect((await call(path, both)).body).toEqual(invalid('folderId'));
});

describe('users/get', () => {
  it('returns the users who were added to the place, with their role on it', async () => {
    const ada = { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com', color: '#f00' };
    await add([{ ...ada, accessRole: 'viewer' }, { userId: 'bob' }]);
    await add([{ userId: 'ada', accessRole: 'editor' }], { documentId: 'plan' });
    const shown = { ...ada, initial: 'A' };
    expect(await get()).toEqual([
      { ...shown, accessRole: 'viewer' },
      { userId: 'bob', accessRole: 'editor' },
    ]);
    expect(await get({ documentId: 'plan' })).toEqual([{ ...shown, accessRole: 'editor' }]);
  });

  it('leaves out users whose role has expired, and those who are not named', async () => {
    await add(['a', 'b', 'c'].map((userId) => ({ userId })));
    const until = (expiresAt: number) => ({ type: 'organization', id: organizationId, expiresAt });
    await give('ended', until(NOW));
    await give('ends', until(NOW + 1));
    expect(await idsAt()).toEqual(['a', 'b', 'c', 'ends']);
    expect(await idsAt({ userIds: [] })).toEqual(['a', 'b', 'c', 'ends']);
    expect(await idsAt({ userIds: ['c', 'a', 'unknown', 'a', 'ended'] })).toEqual(['a', 'c']);
  });

  it('returns to a user the users of visible places, and hides all others as if missing', async () => {
    await organize(server, organizationId, { folders, documents }, headers);
    const places = [{}, { documentId: 'restricted' }, { documentId: 'private' }];
    const open = { documentId: 'public' };
    for (const place of [open, ...places]) await add([{ userId: 'owner' }], place);
    const owner = await userHeaders(server, 'owner', [], headers);
    for (const place of [open, ...places]) expect(await idsAt(place, owner)).toEqual(['owner']);
    const outsider = await userHeaders(server, 'outsider', [], headers);
    expect(await idsAt(open, outsider)).toEqual(['owner']);
    const refusal = async (place: object) => {
      const answer = await call('/v2/users/get', place, outsider);
      expect(failureOf(answer)).toMatchObject({ http: 403, status: 'PERMISSION_DENIED' });
      return answer.body;
    };
    const missing = await refusal({ documentId: 'missing' });
    for (const place of places.slice(1)) expect(await refusal(place)).toEqual(missing);
    expect(await refusal({})).toEqual(await refusal({ organizationId: 'missing' }));
    await refusal({ folderId: 'missing' });
  });
});

describe('users/update', () => {
  it('reports unknown users, and those who have no role that it could change, and changes neither', async () => {
    await add([{ userId: 'known' }]);
    await add([{ userId: 'guest', name: 'Guest' }], { documentId: 'plan' });
    const resource = { type: 'organization', id: organizationId };
    await give('ended', { ...resource, expiresAt: NOW });
    await give('temporary', { ...resource, expiresAt: NOW + 60 });
    const message = 'User has no role on this organization. Add the user first.';
    const given = ['unknown', 'known', 'guest', 'ended', 'temporary'].map((userId) => ({
      userId,
      name: 'Changed',
      accessRole: 'viewer',
    }));
    expect(await update(given)).toEqual({
      unknown: failed('unknown', 'User does not exist.'),
      guest: failed('guest', message),
      ended: failed('ended', message),
      known: { success: true, id: 'known', message: 'User updated.' },
      temporary: { success: true, id: 'temporary', message: 'User updated.' },
    });
    expect(await idsAt()).toEqual(['known', 'temporary']);
    expect(await get({ documentId: 'plan' })).toMatchObject([{ name: 'Guest' }]);
    const { temporary } = await ok('/v2/auth/permissions/get', { userIds: ['temporary'] });
    const role = { accessRole: 'viewer', expiresAt: NOW + 60 };
    expect(temporary.organization[organizationId]).toMatchObject(role);
  });

  it('changes the role on the named level only', async () => {
    await organize(server, organizationId, { folders }, headers);
    const levels = [{}, { folderId: 'ours' }, { documentId: 'plan' }];
    for (const level of levels) await add([{ userId: 'ada', accessRole: 'editor' }], level);
    for (const level of levels) {
      await update([{ userId: 'ada', accessRole: 'viewer' }], level);
      const roles = await Promise.all(levels.map(async (at) => (await get(at))[0]?.accessRole));
      expect(roles).toEqual(levels.map((at) => (at === level ? 'viewer' : 'editor')));
      await update([{ userId: 'ada', accessRole: 'editor' }], level);
    }
  });
});

describe('users/delete', () => {
  const LEVELS = [{}, { documentId: 'public' }, { folderId: 'ours' }];
  const deleted = (id: string) => ({ [id]: { success: true, id, message: 'User deleted.' } });
  const other = { organizationId: 'other' };
  beforeEach(async () => {
    await organize(server, organizationId, { folders, documents }, headers);
    await organize(server, 'other', {}, headers);
  });

  it('removes a user from the organization, with every role and group in it', async () => {
    for (const level of [...LEVELS, other]) await add([{ userId: 'ada' }], level);
    await join('team', ['ada']);
    expect(await remove(['ada'])).toEqual(deleted('ada'));
    for (const level of LEVELS) expect(await idsAt(level)).toEqual([]);
    const groups = await ok('/v2/organizations/usergroups/get', {});
    expect(groups).toMatchObject([{ memberCount: 0 }]);
    expect(await idsAt(other)).toEqual(['ada']);
  });

  it('removes a user from only the named document or folder, which is published once, with the previous state', async () => {
    for (const level of LEVELS) await add([{ userId: 'bob', name: 'Bob' }], level);
    const previous = { userId: 'bob', name: 'Bob', initial: 'B', accessRole: 'editor' };
    for (const level of LEVELS.slice(1)) {
      const events = await during(async () => {
        expect(await remove(['bob', 'bob'], level)).toEqual(deleted('bob'));
        await remove(['bob'], level);
      });
      const metadata = { organizationId, ...('documentId' in level && level) };
      expect(events).toMatchObject([{ type: 'user.delete', metadata, data: previous }]);
      expect(await idsAt(level)).toEqual([]);
    }
    expect(await idsAt()).toEqual(['bob']);
  });

  it('deletes users who have no role or group any more, or never had one', async () => {
    const at = { documentId: 'public' };
    await add([{ userId: 'gone' }, { userId: 'grouped' }], at);
    await join('keepers', ['grouped']);
    await remove(['gone', 'grouped'], at);
    expect([await exists('gone'), await exists('grouped')]).toEqual([false, true]);
    await userHeaders(server, 'bare', [], headers);
    const ended = { type: 'organization', expiresAt: NOW };
    await give('ended', { ...ended, id: organizationId }, { ...ended, ...other, id: 'other' });
    for (const userId of ['grouped', 'bare', 'ended']) {
      expect(await remove([userId])).toEqual(deleted(userId));
      expect(await exists(userId)).toBe(false);
    }
  });

  it('reports users who do not exist, and those who are not in that place', async () => {
    await add([{ userId: 'elsewhere' }], other);
    await add([{ userId: 'here' }]);
    expect(await remove(['nobody', 'elsewhere', 'here', 'here'])).toEqual({
      nobody: failed('nobody', 'User does not exist.'),
      elsewhere: failed('elsewhere', 'User is not in this organization.'),
      ...deleted('here'),
    });
    expect(await idsAt(other)).toEqual(['elsewhere']);
  });

  it('leaves no partial user when the same users are added and deleted concurrently', async () => {
    const userIds = Array.from({ length: 8 }, (_, n) => `rush-${n}`);
    const users = userIds.map((userId) => ({ userId }));
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? remove(userIds.toReversed()) : add(users))),
    );
    const there = await idsAt();
    for (const userId of userIds) expect(there.includes(userId)).toBe(await exists(userId));
  });
});

describe('concurrent writes', () => {
  it('of the same users, roles and groups succeed in any order', async () => {
    const userIds = Array.from({ length: 10 }, (_, n) => `user-${n}`);
    const backwards = userIds.toReversed();
    const named = (ids: string[], name: string) => ids.map((userId) => ({ userId, name }));
    await organize(server, organizationId, { folders, documents }, headers);
    await add(named(userIds, 'Zero'));
    const resources = [onDocument('public'), { type: 'organization', id: organizationId }];
    const permissions = { user: { userId: 'user-0' }, permissions: { resources } };
    const reversed = { ...permissions, permissions: { resources: resources.toReversed() } };
    const group = { organizationUserGroupId: 'team' };
    /** Every write on users, roles and groups, each with the ids in another order. */
    const writes: Array<[string, object]> = [
      ['/v1/users/add', { users: named(userIds, 'A') }],
      ['/v1/users/add', { documentId: 'public', users: named(backwards, 'B') }],
      ['/v2/users/update', { users: named(backwards, 'C') }],
      ['/v2/users/delete', { userIds: backwards }],
      ['/v2/users/delete', { documentId: 'public', userIds }],
      ['/v2/auth/permissions/add', permissions],
      ['/v2/auth/permissions/remove', reversed],
      ['/v2/auth/generate_token', { userId: 'user-0', permissions: reversed.permissions }],
      ['/v1/organizations/usergroups/users/add', { ...group, userIds }],
      ['/v1/organizations/usergroups/users/delete', { ...group, userIds: backwards }],
      ['/v1/organizations/usergroups/users/delete', { ...group, deleteAll: true }],
    ];
    await join('team', userIds);
    for (const turn of [0, 3, 6]) {
      const turned = [...writes.slice(turn), ...writes.slice(0, turn), ...writes.toReversed()];
      await Promise.all(turned.map(([path, data]) => ok(path, data)));
    }
  });

  it('add the users to an organization that is being deleted, and create it again', async () => {
    const users = [{ userId: 'user-0' }];
    const organizations = { organizationIds: [organizationId] };
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        add(users, { documentId: 'plan' }),
        ok('/v2/organizations/delete', organizations),
        add(users),
        ok('/v2/organizations/delete', organizations),
        add(users, { documentId: 'plan' }),
      ]);
    }
  });
});

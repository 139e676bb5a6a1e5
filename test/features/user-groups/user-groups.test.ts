import { describe, expect, it } from 'vitest';
import { failureOf, invalid } from '../../support/answers.ts';
import { allEvents } from '../../support/events.ts';
import { startTestServer } from '../../support/server.ts';

const GROUPS = '/v2/organizations/usergroups';
const MEMBERS = '/v1/organizations/usergroups/users';

const server = await startTestServer();
const users = ['ada', 'bob', 'eve'].map((userId) => ({ userId }));
for (const organizationId of ['acme', 'other']) {
  await server.ok('/v1/users/add', { organizationId, users });
}

const organizationId = 'acme';
const add = (organizationUserGroups: object[]) =>
  server.ok(`${GROUPS}/add`, { organizationId, organizationUserGroups });
const get = (...organizationUserGroupIds: string[]) =>
  server.ok(`${GROUPS}/get`, { organizationId, organizationUserGroupIds });
const join = (organizationUserGroupId: string, userIds: string[], at = organizationId) =>
  server.ok(`${MEMBERS}/add`, { organizationId: at, organizationUserGroupId, userIds });
const leave = (organizationUserGroupId: string, which: object) =>
  server.ok(`${MEMBERS}/delete`, { organizationId, organizationUserGroupId, ...which });
const outcome = (organizationUserGroupId: string, success: boolean, message: string) => ({
  success,
  organizationUserGroupId,
  message,
});
const publishedAbout = async (id: string) =>
  (await allEvents(server))
    .filter(({ data }) => data.groupId === id)
    .map(({ type, data }) => [type, data]);

describe('usergroups/add', () => {
  it('adds groups, and updates the given fields of existing ones', async () => {
    await join('legal', ['ada']);
    const legal = { groupId: 'legal', groupName: 'Legal', color: 'red' };
    expect(await add([legal, { groupId: 'sales', groupName: 'Sales' }])).toEqual({
      legal: { success: true, id: 'legal', message: 'User group updated.' },
      sales: { success: true, id: 'sales', message: 'User group added.' },
    });
    await add([{ groupId: 'legal', color: 'blue' }]);
    const groups = [
      { groupId: 'legal', groupName: 'Legal', color: 'blue', memberCount: 1, userIds: ['ada'] },
      { groupId: 'sales', groupName: 'Sales', memberCount: 0, userIds: [] },
    ];
    expect(await get('sales', 'legal')).toEqual(groups);
    const asObjects = { organizationId, organizationUserGroups: groups };
    expect(await server.ok(`${GROUPS}/get`, asObjects)).toEqual(groups);
  });

  it('allows 16 KB of own fields for each group, including the stored ones', async () => {
    const heavy = (field: string) => [{ groupId: 'large', [field]: 'x'.repeat(10_000) }];
    for (const _ of [1, 2]) await add(heavy('one'));
    const data = { organizationId, organizationUserGroups: heavy('two') };
    const { body } = await server.call(`${GROUPS}/add`, data);
    expect(body).toEqual(invalid('organizationUserGroups'));
    expect(Object.keys((await get('large'))[0])).not.toContain('two');
  });
});

it('usergroups/delete deletes groups, named by ids or objects, and keeps their members', async () => {
  await join('doomed', ['ada']);
  await add([{ groupId: 'doomed-too' }]);
  const organizationUserGroups = [{ groupId: 'doomed-too' }];
  const data = { organizationId, organizationUserGroupIds: ['doomed'], organizationUserGroups };
  expect(await server.ok(`${GROUPS}/delete`, data)).toMatchObject({
    doomed: { success: true, message: 'User group deleted.' },
    'doomed-too': { success: true, message: 'User group deleted.' },
  });
  expect(await get('doomed', 'doomed-too')).toEqual([]);
  const query = { organizationId, userIds: ['ada'] };
  expect(await server.ok('/v2/users/get', query)).toHaveLength(1);
});

describe('usergroups/users/add', () => {
  it('creates the group with an event, adds existing users, and reports unknown ones', async () => {
    expect(await join('made', ['bob', 'nobody', 'bob'])).toEqual({
      bob: outcome('made', true, 'User added to the group.'),
      nobody: outcome('made', false, 'User does not exist.'),
    });
    const data = { groupId: 'made', groupName: 'made', addedUserIds: ['bob'] };
    expect(await publishedAbout('made')).toEqual([['user_group.add', data]]);
    const bob = outcome('made', true, 'User is already in the group.');
    expect(await join('made', ['bob'])).toEqual({ bob });
    expect(await get('made')).toMatchObject([{ memberCount: 1, userIds: ['bob'] }]);
  });

  it('adds each member once for concurrent callers', async () => {
    const users = ['ada', 'bob', 'eve'];
    const joined = await Promise.all(
      Array.from({ length: 10 }, (_, n) => join('crowd', n % 2 ? users : users.toReversed())),
    );
    expect(joined.filter((one) => one.ada.message.includes('added'))).toHaveLength(1);
    expect(await get('crowd')).toMatchObject([{ memberCount: 3 }]);
  });
});

describe('usergroups/users/delete', () => {
  it('removes the named users, and reports those who were not members or do not exist', async () => {
    await join('shrinks', ['ada', 'bob']);
    expect(await leave('shrinks', { userIds: ['ada', 'eve', 'nobody'] })).toEqual({
      ada: outcome('shrinks', true, 'User deleted from the group.'),
      eve: outcome('shrinks', false, 'User is not in the group.'),
      nobody: outcome('shrinks', false, 'User does not exist.'),
    });
    expect(await get('shrinks')).toMatchObject([{ userIds: ['bob'] }]);
  });

  it('removes all members with deleteAll, returns their ids, and affects no other organization', async () => {
    await join('emptied', ['ada', 'bob']);
    await join('emptied', ['bob'], 'other');
    expect(await leave('emptied', { deleteAll: true })).toEqual({
      ada: outcome('emptied', true, 'User deleted from the group.'),
      bob: outcome('emptied', true, 'User deleted from the group.'),
    });
    expect(await leave('emptied', { deleteAll: true })).toEqual({});
    expect(await get('emptied')).toMatchObject([{ memberCount: 0 }]);
    const query = { organizationId: 'other', organizationUserGroupIds: ['emptied'] };
    expect(await server.ok(`${GROUPS}/get`, query)).toMatchObject([{ userIds: ['bob'] }]);
  });

  it('refuses ambiguous requests, and an unknown group', async () => {
    const refusalOf = (data: object) =>
      server.call(`${MEMBERS}/delete`, { organizationId, ...data });
    const members = { userIds: [], deleteAll: false };
    for (const which of [{}, { userIds: [] }, { deleteAll: false }, members]) {
      const { body } = await refusalOf({ organizationUserGroupId: 'emptied', ...which });
      expect(body).toEqual(invalid('userIds'));
    }
    const unknown = { organizationUserGroupId: 'missing', userIds: ['ada'] };
    expect(failureOf(await refusalOf(unknown)).reason).toBe('group_not_found');
  });
});

it('events are published for groups and members that change, and for no others', async () => {
  const group = { groupId: 'observed', groupName: 'Observed' };
  await add([group]);
  await join('observed', ['eve', 'ada', 'nobody']);
  await join('observed', ['ada']);
  await leave('observed', { userIds: ['ada', 'bob'] });
  for (const _ of [1, 2]) await leave('observed', { deleteAll: true });
  const organizationUserGroupIds = ['observed', 'none'];
  await server.ok(`${GROUPS}/delete`, { organizationId, organizationUserGroupIds });
  expect(await publishedAbout('observed')).toEqual([
    ['user_group.add', group],
    ['user_group.update', { ...group, addedUserIds: ['ada', 'eve'] }],
    ['user_group.update', { ...group, deletedUserIds: ['ada'] }],
    ['user_group.update', { ...group, deletedUserIds: ['eve'] }],
    ['user_group.delete', group],
  ]);
});

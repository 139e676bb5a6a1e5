import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, invalid } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const GROUPS = '/v2/organizations/usergroups';
const MEMBERS = '/v1/organizations/usergroups/users';

const server = testServer();
beforeAll(async () => {
  const users = ['ada', 'bob', 'eve'].map((userId) => ({ userId }));
  await ok('/v1/users/add', { organizationId: 'acme', users });
  await ok('/v1/users/add', { organizationId: 'other', users });
});

const ok = async (path: string, data: object) => dataOf(await server.call(path, data));

const organizationId = 'acme';
const add = (organizationUserGroups: object[]) =>
  ok(`${GROUPS}/add`, { organizationId, organizationUserGroups });
const get = (...organizationUserGroupIds: string[]) =>
  ok(`${GROUPS}/get`, { organizationId, organizationUserGroupIds });
const join = (organizationUserGroupId: string, userIds: string[]) =>
  ok(`${MEMBERS}/add`, { organizationId, organizationUserGroupId, userIds });
const leave = (organizationUserGroupId: string, which: object) =>
  ok(`${MEMBERS}/delete`, { organizationId, organizationUserGroupId, ...which });
const outcome = (organizationUserGroupId: string, success: boolean, message: string) => ({
  success,
  organizationUserGroupId,
  message,
});

describe('usergroups/add', () => {
  it('adds groups, and updates the given fields of existing ones', async () => {
    await join('legal', ['ada']);
    expect(
      await add([
        { groupId: 'legal', groupName: 'Legal', color: 'red' },
        { groupId: 'sales', groupName: 'First' },
        { groupId: 'sales', groupName: 'Sales' },
      ]),
    ).toEqual({
      legal: { success: true, id: 'legal', message: 'User group updated.' },
      sales: { success: true, id: 'sales', message: 'User group added.' },
    });
    await add([{ groupId: 'legal', color: 'blue' }]);
    expect(await get('sales', 'legal')).toEqual([
      { groupId: 'legal', groupName: 'Legal', color: 'blue', memberCount: 1, userIds: ['ada'] },
      { groupId: 'sales', groupName: 'Sales', memberCount: 0, userIds: [] },
    ]);
  });

  it('allows 16 KB of own fields for each group, including the stored ones', async () => {
    const more = (field: string) => {
      const organizationUserGroups = [{ groupId: 'large', [field]: 'x'.repeat(10_000) }];
      return server.call(`${GROUPS}/add`, { organizationId, organizationUserGroups });
    };
    expect((await more('one')).status).toBe(200);
    expect((await more('one')).status).toBe(200);
    expect((await more('two')).body).toEqual(invalid('organizationUserGroups'));
    const [large] = await get('large');
    expect(Object.keys(large)).not.toContain('two');
  });

  it('creates one group under concurrency', async () => {
    const groups = Array.from({ length: 20 }, (_, n) => ({ groupId: `rush-${n}` }));
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => add(n % 2 === 0 ? groups : groups.toReversed())),
    );
    const added = outcomes.filter((one) => one['rush-0'].message === 'User group added.');
    expect(added).toHaveLength(1);
  });
});

describe('usergroups/get', () => {
  it('accepts groups as objects', async () => {
    await join('objects', ['eve', 'ada']);
    const data = { organizationId, organizationUserGroups: [{ groupId: 'objects' }] };
    expect(await ok(`${GROUPS}/get`, data)).toEqual([
      { groupId: 'objects', groupName: 'objects', memberCount: 2, userIds: ['ada', 'eve'] },
    ]);
  });
});

describe('usergroups/delete', () => {
  it('deletes groups and keeps their members, and reports unknown groups as failures', async () => {
    await join('doomed', ['ada']);
    await add([{ groupId: 'doomed-too' }]);
    const data = {
      organizationId,
      organizationUserGroupIds: ['doomed', 'unknown', 'doomed'],
      organizationUserGroups: [{ groupId: 'doomed-too' }],
    };
    expect(await ok(`${GROUPS}/delete`, data)).toEqual({
      doomed: { success: true, id: 'doomed', message: 'User group deleted.' },
      unknown: { success: false, id: 'unknown', message: 'User group does not exist.' },
      'doomed-too': { success: true, id: 'doomed-too', message: 'User group deleted.' },
    });
    expect(await get('doomed', 'doomed-too')).toEqual([]);
    expect(await ok('/v2/users/get', { organizationId, userIds: ['ada'] })).toHaveLength(1);
  });
});

describe('usergroups/users/add', () => {
  it('creates the group, adds existing users, and reports unknown ones', async () => {
    expect(await join('made', ['bob', 'nobody', 'bob'])).toEqual({
      bob: outcome('made', true, 'User added to the group.'),
      nobody: outcome('made', false, 'User does not exist.'),
    });
    expect(await join('made', ['bob'])).toEqual({
      bob: outcome('made', true, 'User is in the group already.'),
    });
    expect(await get('made')).toMatchObject([{ memberCount: 1, userIds: ['bob'] }]);
  });

  it('adds each user once under concurrency', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        join('crowd', n % 2 === 0 ? ['ada', 'bob', 'eve'] : ['eve', 'bob', 'ada']),
      ),
    );
    const added = answers.filter((one) => one.ada.message === 'User added to the group.');
    expect(added).toHaveLength(1);
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

  it('removes all members with deleteAll, and returns their ids', async () => {
    await join('emptied', ['ada', 'bob']);
    expect(await leave('emptied', { deleteAll: true })).toEqual({
      ada: outcome('emptied', true, 'User deleted from the group.'),
      bob: outcome('emptied', true, 'User deleted from the group.'),
    });
    expect(await leave('emptied', { deleteAll: true })).toEqual({});
    expect(await get('emptied')).toMatchObject([{ memberCount: 0 }]);
  });

  it.each([{}, { userIds: [] }, { deleteAll: false }, { userIds: [], deleteAll: false }])(
    'refuses the ambiguous %j',
    async (which) => {
      const data = { organizationId, organizationUserGroupId: 'emptied', ...which };
      const { status, body } = await server.call(`${MEMBERS}/delete`, data);
      expect(status).toBe(400);
      expect(body.error.details.issues[0].path).toBe('userIds');
    },
  );

  it('returns group_not_found', async () => {
    const data = { organizationId, organizationUserGroupId: 'missing', userIds: ['ada'] };
    const { status, body } = await server.call(`${MEMBERS}/delete`, data);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      details: { reason: 'group_not_found' },
    });
  });
});

describe('every operation on user groups', () => {
  it('is limited to its organization', async () => {
    await join('twin', ['ada']);
    const there = { organizationId: 'other', organizationUserGroupId: 'twin' };
    await ok(`${MEMBERS}/add`, { ...there, userIds: ['bob'] });
    await leave('twin', { deleteAll: true });
    const query = { organizationId: 'other', organizationUserGroupIds: ['twin'] };
    expect(await ok(`${GROUPS}/get`, query)).toMatchObject([{ userIds: ['bob'] }]);
  });
});

describe('the events of user groups', () => {
  const publishedAbout = async (id: string) => {
    const { events } = await ok('/v2/events/get', {});
    return events
      .filter((event: { data: { groupId?: string } }) => event.data.groupId === id)
      .map((event: { type: string; data: object }) => [event.type, event.data]);
  };

  it('are published for groups and members that change, and for no others', async () => {
    const group = { groupId: 'observed', groupName: 'Observed' };
    await add([group]);
    await join('observed', ['eve', 'ada', 'nobody']);
    await join('observed', ['ada']);
    await leave('observed', { userIds: ['ada', 'bob'] });
    await leave('observed', { deleteAll: true });
    await leave('observed', { deleteAll: true });
    await ok(`${GROUPS}/delete`, {
      organizationId,
      organizationUserGroupIds: ['observed', 'none'],
    });
    expect(await publishedAbout('observed')).toEqual([
      ['user_group.add', group],
      ['user_group.update', { ...group, addedUserIds: ['ada', 'eve'] }],
      ['user_group.update', { ...group, deletedUserIds: ['ada'] }],
      ['user_group.update', { ...group, deletedUserIds: ['eve'] }],
      ['user_group.delete', group],
    ]);
  });

  it('are published for a group that its first member created', async () => {
    await join('first', ['ada']);
    const data = { groupId: 'first', groupName: 'first', addedUserIds: ['ada'] };
    expect(await publishedAbout('first')).toEqual([['user_group.add', data]]);
  });
});

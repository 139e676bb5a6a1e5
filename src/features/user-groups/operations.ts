import { outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { getUserGroups } from './get-user-groups.ts';
import { addGroupUsers, deleteGroupUsers } from './group-users.ts';
import {
  AddGroupUsers,
  AddUserGroups,
  DeleteGroupUsers,
  DeleteUserGroups,
  GetUserGroups,
  memberOutcomes,
  userGroupPage,
} from './schema.ts';
import { addUserGroups, deleteUserGroups } from './user-groups.ts';

const group = { organizationId: 'acme', organizationUserGroupId: 'legal' };

export const userGroupsRouter = router({
  add: apiKeyOperation({
    path: '/v2/organizations/usergroups/add',
    addsContent: true,
    summary: 'Add user groups',
    description: 'An existing group is updated with the given fields.',
    message: 'User group(s) added successfully.',
    example: {
      request: {
        organizationId: 'acme',
        organizationUserGroups: [{ groupId: 'legal', groupName: 'Legal' }],
      },
      response: { legal: { success: true, id: 'legal', message: 'User group added.' } },
    },
  })
    .input(AddUserGroups)
    .output(outcomes)
    .mutation(({ ctx, input }) => addUserGroups(ctx, input)),

  get: apiKeyOperation({
    path: '/v2/organizations/usergroups/get',
    summary: 'Get user groups',
    description:
      'User groups, ordered by id, a page at a time. If the request names groups, by id or as objects, their members are included.',
    message: 'User group(s) retrieved successfully.',
    envelope: 'page',
    fromReplica: true,
    example: {
      request: { organizationId: 'acme', organizationUserGroupIds: ['legal'] },
      response: [{ groupId: 'legal', groupName: 'Legal', memberCount: 1, userIds: ['ada'] }],
    },
  })
    .input(GetUserGroups)
    .output(userGroupPage)
    .query(({ ctx, input }) => getUserGroups(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/organizations/usergroups/delete',
    summary: 'Delete user groups',
    description:
      'Deletes the groups that the request names, by id or as objects, but not their members.',
    message: 'User group(s) deleted successfully.',
    example: {
      request: { organizationId: 'acme', organizationUserGroupIds: ['legal'] },
      response: { legal: { success: true, id: 'legal', message: 'User group deleted.' } },
    },
  })
    .input(DeleteUserGroups)
    .output(outcomes)
    .mutation(({ ctx, input }) => deleteUserGroups(ctx, input)),

  addUsers: apiKeyOperation({
    path: '/v1/organizations/usergroups/users/add',
    addsContent: true,
    summary: 'Add users to a group',
    description: 'A missing group is created; missing users are not.',
    message: 'User(s) added to the group successfully.',
    example: {
      request: { ...group, userIds: ['ada'] },
      response: {
        ada: {
          success: true,
          organizationUserGroupId: 'legal',
          message: 'User added to the group.',
        },
      },
    },
  })
    .input(AddGroupUsers)
    .output(memberOutcomes)
    .mutation(({ ctx, input }) => addGroupUsers(ctx, input)),

  deleteUsers: apiKeyOperation({
    path: '/v1/organizations/usergroups/users/delete',
    summary: 'Delete users from a group',
    description: 'Removes the named users, or all members with `deleteAll`.',
    message: 'User(s) deleted from the group successfully.',
    example: {
      request: { ...group, userIds: ['ada'] },
      response: {
        ada: {
          success: true,
          organizationUserGroupId: 'legal',
          message: 'User deleted from the group.',
        },
      },
    },
  })
    .input(DeleteGroupUsers)
    .output(memberOutcomes)
    .mutation(({ ctx, input }) => deleteGroupUsers(ctx, input)),
});

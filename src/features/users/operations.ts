import { outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import type { Dependents } from '../../platform/erasure/dependent-rows.ts';
import { DeleteUsers, GetUsers, UsersInput, userPage } from '../access/users/schema.ts';
import { addUsers } from './add-users.ts';
import { deleteUsers } from './delete-users.ts';
import { getUsers } from './get-users.ts';
import { updateUsers } from './update-users.ts';

export const usersRouter = (dependents: Dependents) =>
  router({
    add: apiKeyOperation({
      path: '/v1/users/add',
      addsContent: true,
      summary: 'Add users',
      description:
        'Adds users to an organization, or to one of its documents or folders. A missing organization or document is created.',
      message: 'User(s) added successfully.',
      example: {
        request: {
          organizationId: 'acme',
          users: [
            { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com', accessRole: 'editor' },
          ],
        },
        response: { ada: { success: true, id: 'ada', message: 'User added.' } },
      },
    })
      .input(UsersInput)
      .output(outcomes)
      .mutation(({ ctx, input }) => addUsers(ctx, input)),

    get: apiKeyOperation({
      path: '/v2/users/get',
      summary: 'Get users',
      description:
        'A page of the users with a role on an organization, or on one of its documents or folders, ordered by id. With a user token, the user needs access to that place.',
      message: 'User(s) retrieved successfully.',
      envelope: 'page',
      userToken: true,
      fromReplica: true,
      example: {
        request: { organizationId: 'acme', userIds: ['ada'] },
        response: [
          {
            userId: 'ada',
            name: 'Ada Lovelace',
            email: 'ada@example.com',
            initial: 'A',
            accessRole: 'editor',
          },
        ],
      },
    })
      .input(GetUsers)
      .output(userPage)
      .query(({ ctx, input }) => getUsers(ctx, input)),

    update: apiKeyOperation({
      path: '/v2/users/update',
      addsContent: true,
      summary: 'Update users',
      description:
        'Changes the fields that are given, and the role on the organization, or on the given document or folder. Users without a role there are not added.',
      message: 'User(s) updated successfully.',
      example: {
        request: { organizationId: 'acme', users: [{ userId: 'ada', accessRole: 'viewer' }] },
        response: { ada: { success: true, id: 'ada', message: 'User updated.' } },
      },
    })
      .input(UsersInput)
      .output(outcomes)
      .mutation(({ ctx, input }) => updateUsers(ctx, input)),

    delete: apiKeyOperation({
      path: '/v2/users/delete',
      changesCredentials: true,
      summary: 'Delete users',
      description:
        'Removes users from an organization, with all their roles and groups in it, or from one document or folder. A user without any remaining role or group is deleted.',
      message: 'User(s) deleted successfully.',
      example: {
        request: { organizationId: 'acme', userIds: ['ada'] },
        response: { ada: { success: true, id: 'ada', message: 'User deleted.' } },
      },
    })
      .input(DeleteUsers)
      .output(outcomes)
      .mutation(({ ctx, input }) => deleteUsers({ ...ctx, dependents }, input)),
  });

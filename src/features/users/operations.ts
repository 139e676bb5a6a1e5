import { outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { DeleteUsers, GetUsers, UsersInput, userPage } from '../access/users/schema.ts';
import { addUsers } from './add-users.ts';
import { deleteUsers } from './delete-users.ts';
import { getUsers } from './get-users.ts';
import { updateUsers } from './update-users.ts';

export const usersRouter = router({
  add: apiKeyOperation({
    path: '/v1/users/add',
    addsContent: true,
    summary: 'Add users',
    description:
      'Adds users to an organization, or to one document or folder of it. The organization is made when it is missing, the document too.',
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
      'Those who have a role on an organization, or on one document or folder of it, in the order of their ids, a page at a time. A user token may ask about places that its user may see.',
    message: 'User(s) retrieved successfully.',
    envelope: 'page',
    userToken: true,
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
      'Changes the fields that are given, and the role on the organization, or on the document or folder named. Nobody is added by it.',
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
      'Takes users out of an organization, with all their roles and groups in it, or out of one document or folder. Who has no role and no group left anywhere is deleted altogether.',
    message: 'User(s) deleted successfully.',
    example: {
      request: { organizationId: 'acme', userIds: ['ada'] },
      response: { ada: { success: true, id: 'ada', message: 'User deleted.' } },
    },
  })
    .input(DeleteUsers)
    .output(outcomes)
    .mutation(({ ctx, input }) => deleteUsers(ctx, input)),
});

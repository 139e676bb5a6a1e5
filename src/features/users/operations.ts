import { outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { addUsers } from './add-users.ts';
import { AddUsers } from './schema.ts';

export const usersRouter = router({
  add: apiKeyOperation({
    path: '/v1/users/add',
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
    .input(AddUsers)
    .output(outcomes)
    .mutation(({ ctx, input }) => addUsers(ctx, input)),
});

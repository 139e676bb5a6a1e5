import { apiKeyOperation } from '../../api/procedures.ts';
import { getUserData, type UserDataSources } from './get-user-data.ts';
import { GetUserData, userDataPage } from './schema.ts';

/** The operations on a user's data, which `erasure` extends. */
export const userDataProcedures = (sources: UserDataSources) => ({
  get: apiKeyOperation({
    path: '/v2/users/data/get',
    summary: 'Get all user data',
    description:
      'The comments, reactions, recordings, attachments and notifications of a user in an organization, up to 100 of each per page. On the last page, nextPageToken is null. A user token reads the data of its own user.',
    message: 'User data retrieved successfully.',
    envelope: 'page',
    userToken: true,
    fromReplica: true,
    example: {
      request: { organizationId: 'acme', userId: 'ada' },
      response: { comments: [], reactions: [], recordings: [], attachments: [], notifications: [] },
    },
  })
    .input(GetUserData)
    .output(userDataPage)
    .query(({ ctx, input }) => getUserData(ctx, sources, input)),
});

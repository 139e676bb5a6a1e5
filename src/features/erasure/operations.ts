import { apiKeyOperation } from '../../api/procedures.ts';
import { getErasureStatus } from './get-erasure-status.ts';
import { type RegisteredErasure, requestErasure } from './request-erasure.ts';
import { DeleteUserData, DeletionStatus, deletionStarted, deletionStatus } from './schema.ts';

/** The operations of erasure, in addition to `userData.get`. */
export const erasureProcedures = (registered: RegisteredErasure) => ({
  delete: apiKeyOperation({
    path: '/v2/users/data/delete',
    changesCredentials: true,
    summary: 'Delete all user data',
    description:
      'Starts a job that deletes users with their roles, inboxes, reactions, recordings and presence, and removes them from all other data. Comments stay, with a deleted user as author, or are deleted with `contents: remove`. Repeating the call while the job runs returns the same job. The event user.delete is published.',
    message: 'User data deletion started.',
    example: {
      request: { userIds: ['ada'] },
      response: { jobId: 'cV3xk1mGq8TzW5bYp0Ra', tasksCount: 53 },
    },
  })
    .input(DeleteUserData)
    .output(deletionStarted)
    .mutation(({ ctx, input }) => requestErasure(ctx, registered, input)),

  deleteStatus: apiKeyOperation({
    path: '/v2/users/data/delete/status',
    summary: 'Get the status of a user data deletion',
    description: 'The number of remaining tasks, and after completion the number of deleted items.',
    message: 'User data deletion status retrieved successfully.',
    errors: ['NOT_FOUND'],
    example: {
      request: { jobId: 'cV3xk1mGq8TzW5bYp0Ra' },
      response: {
        isDeleteCompleted: true,
        tasksLeft: 0,
        lastTaskCompletedTime: 1_767_603_600_000,
        receipt: { users: 1, grants: 2, comments: 14, events: 31 },
      },
    },
  })
    .input(DeletionStatus)
    .output(deletionStatus)
    .query(({ ctx, input }) => getErasureStatus(ctx, input)),
});

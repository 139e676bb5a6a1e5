import { z } from 'zod';
import { outcomes } from '../../../api/fields.ts';
import { apiKeyOperation, router, subscriptionOperation } from '../../../api/procedures.ts';
import { annotation, place } from '../examples.ts';
import { followComments } from '../live/follow-comments.ts';
import { CommentChanges, commentChange } from '../live/schema.ts';
import { presentedComment } from '../response-schemas.ts';
import { addComments } from './add-comments.ts';
import { deleteComments } from './delete-comments.ts';
import { getComments } from './get-comments.ts';
import {
  AddComments,
  addedCommentIds,
  DeleteComments,
  GetComments,
  UpdateComments,
} from './schema.ts';
import { updateComments } from './update-comments.ts';

const target = { ...place, annotationId: 'headline' };
const outcome = (id: string, message: string) => ({ [id]: { success: true, id, message } });

export const commentsRouter = router({
  add: apiKeyOperation({
    path: '/v2/commentannotations/comments/add',
    addsContent: true,
    summary: 'Add comments to an annotation',
    description: 'Returns the ids of the added comments, in the given order.',
    message: 'Comment(s) added successfully.',
    userToken: true,
    errors: ['ALREADY_EXISTS'],
    example: {
      request: {
        ...target,
        commentData: [{ commentText: 'Done.', from: { userId: 'grace' } }],
      },
      response: [2],
    },
  })
    .input(AddComments)
    .output(addedCommentIds)
    .mutation(({ ctx, input }) => addComments(ctx, input)),

  get: apiKeyOperation({
    path: '/v2/commentannotations/comments/get',
    summary: 'Get the comments of an annotation',
    description: 'All of them, or those with the given ids, in the order of their ids.',
    message: 'Comment(s) retrieved successfully.',
    userToken: true,
    fromReplica: true,
    example: { request: { ...target, commentIds: [1] }, response: annotation.comments },
  })
    .input(GetComments)
    .output(z.array(presentedComment))
    .query(({ ctx, input }) => getComments(ctx, input)),

  update: apiKeyOperation({
    path: '/v2/commentannotations/comments/update',
    addsContent: true,
    summary: 'Update comments',
    description: 'Absent fields keep their values. Users may change only their own comments.',
    message: 'Comment(s) updated successfully.',
    userToken: true,
    example: {
      request: { ...target, commentData: [{ commentId: 1, commentText: 'Even shorter?' }] },
      response: outcome('1', 'Comment updated.'),
    },
  })
    .input(UpdateComments)
    .output(outcomes)
    .mutation(({ ctx, input }) => updateComments(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/commentannotations/comments/delete',
    summary: 'Delete comments',
    description: 'Deletes comments with their reactions. Users may delete only their own comments.',
    message: 'Comment(s) deleted successfully.',
    userToken: true,
    example: {
      request: { ...target, commentIds: [1] },
      response: outcome('1', 'Comment deleted.'),
    },
  })
    .input(DeleteComments)
    .output(outcomes)
    .mutation(({ ctx, input }) => deleteComments(ctx, input)),

  changes: subscriptionOperation({
    summary: 'Follow the comments of a document',
    description:
      'Every change to an annotation, its comments or its reactions that the subscriber may see at that moment. A change that hides an annotation from the subscriber arrives as `comment_annotation.delete`; a change that reveals one arrives with the whole annotation. Read the annotations when the subscription has started, and apply the changes that follow. When access ends, the subscription ends with PERMISSION_DENIED within a second.',
    item: commentChange,
  })
    .input(CommentChanges)
    .subscription(({ ctx, input }) => followComments(ctx, input)),
});

import { subscriptionOperation } from '../../../api/procedures.ts';
import { followComments } from './follow-comments.ts';
import { CommentChanges, commentChange } from './schema.ts';

export const commentChanges = subscriptionOperation({
  summary: 'Follow the comments of a document',
  description:
    'Each change of an annotation and of the comments and reactions in it, as the subscriber may see it at that moment. What a change hides from the subscriber is told as `comment_annotation.delete`; what it shows comes whole. Read the annotations when the subscription has started, and apply what comes after. It ends with PERMISSION_DENIED within a second when access ends.',
  item: commentChange,
})
  .input(CommentChanges)
  .subscription(({ ctx, input }) => followComments(ctx, input));

import type { KeyContext } from '../../../api/context.ts';
import type { FullAnnotation } from '../annotation-row.ts';

/** Returns the reason why the caller may not change or delete a comment; undefined if the caller may. */
export function refusalOf(
  { userId }: KeyContext,
  { comments }: FullAnnotation,
  commentId: number,
): string | undefined {
  const comment = comments.find((each) => each.commentId === commentId);
  if (!comment) return 'Comment does not exist.';
  const mayChange = userId === undefined || comment.from.userId === userId;
  return mayChange ? undefined : 'Only the author may change or delete the comment.';
}

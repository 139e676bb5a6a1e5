import type { KeyContext } from '../../../api/context.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { AppError, invalidArgument } from '../../../platform/errors.ts';
import {
  linkAttachments,
  readNamedAttachments,
  withNamedAttachments,
} from '../../attachments/named-attachments.ts';
import type { CommentRow, FullAnnotation } from '../annotation-row.ts';
import { annotationEvent, wantsNotification } from '../annotations/annotation-event.ts';
import { requireSize } from '../annotations/annotation-size.ts';
import {
  autoSubscriptionsOf,
  mergeSubscriptions,
  saveSubscriptions,
} from '../annotations/annotation-users.ts';
import { buildComments, MAX_COMMENTS, newestOf } from '../annotations/build-comments.ts';
import { usersNamedIn } from '../annotations/resolve-users.ts';
import { insertComments, updateAnnotationRows } from '../annotations/save-annotations.ts';
import { withAnnotation } from '../annotations/with-annotation.ts';
import type { AddCommentsInput } from './schema.ts';

/**
 * Adds comments to an annotation: all of them, or none.
 *
 * @throws ALREADY_EXISTS if a comment with one of the ids already exists
 */
export function addComments(ctx: KeyContext, input: AddCommentsInput): Promise<number[]> {
  const { commentData } = input;
  const named = usersNamedIn(ctx, commentData);
  return withAnnotation(ctx, input, 'commenter', named, async (tx, before, resolve) => {
    const [users, attachments] = await pipeline([
      resolve(named),
      readNamedAttachments(ctx, tx, before, commentData),
    ]);
    const completed = commentData.map((comment, index) =>
      withNamedAttachments(attachments, comment, `commentData[${index}]`),
    );
    linkAttachments(ctx, tx, [{ ...before, contents: completed }]);
    const now = Math.max(ctx.clock.now(), before.lastUpdated);
    const nextId = before.nextCommentId;
    const built = buildComments(ctx, completed, { users, now, nextId, path: 'commentData' });
    const after = withComments(before, built);
    await requireSize(after);
    const { annotationId } = after;
    const commentIds = built.rows.map((row) => row.commentId);
    const event = annotationEvent(ctx, 'comment.add', after, {
      actionUser: built.rows.at(-1)?.from,
      commentIds,
      triggerNotification: commentData.some((comment) =>
        wantsNotification(ctx, comment.triggerNotification),
      ),
    });
    await updateAnnotationRows(tx, ctx.tenantId, [after]);
    await insertComments(tx, ctx.tenantId, [{ annotationId, comments: built.rows }]);
    saveSubscriptions(tx, ctx.tenantId, [
      { annotation: after, changes: autoSubscriptionsOf(built.rows) },
    ]);
    await ctx.events.append(tx, ctx.tenantId, [event]);
    return commentIds;
  });
}

function withComments(
  before: FullAnnotation,
  { rows, nextId }: { rows: CommentRow[]; nextId: number },
): FullAnnotation {
  const taken = new Set(before.comments.map((comment) => comment.commentId));
  if (rows.some((row) => taken.has(row.commentId))) {
    throw new AppError('ALREADY_EXISTS', 'A comment with this commentId already exists.');
  }
  const comments = [...before.comments, ...rows].sort((a, b) => a.commentId - b.commentId);
  if (comments.length > MAX_COMMENTS) {
    throw invalidArgument(`An annotation may have at most ${MAX_COMMENTS} comments.`);
  }
  const last = newestOf(rows);
  const isNewest = last !== undefined && last.createdAt >= before.lastCommentAt;
  return {
    ...before,
    comments,
    subscriptions: mergeSubscriptions(before.subscriptions, autoSubscriptionsOf(rows)),
    nextCommentId: nextId,
    lastUpdated: Math.max(before.lastUpdated, ...rows.map((row) => row.lastUpdated)),
    ...(isNewest && { lastCommentAt: last.createdAt, lastCommentBy: last.from.userId }),
  };
}

import { failed, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import type { ItemOutcome } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { deleteNamedAttachments } from '../../attachments/named-attachments.ts';
import type { FullAnnotation } from '../annotation-row.ts';
import { annotationEvent } from '../annotations/annotation-event.ts';
import { saveMentions } from '../annotations/annotation-users.ts';
import { newestOf } from '../annotations/build-comments.ts';
import { updateAnnotationRows } from '../annotations/save-annotations.ts';
import { withAnnotation } from '../annotations/with-annotation.ts';
import { presentAnnotation } from '../present-annotation.ts';
import { refusalOf } from './refuse-change.ts';
import type { DeleteCommentsInput } from './schema.ts';

/** Deletes comments with their reactions. Users may delete only their own. The annotation stays. */
export function deleteComments(
  ctx: KeyContext,
  input: DeleteCommentsInput,
): Promise<Record<string, ItemOutcome>> {
  const commentIds = [...new Set(input.commentIds)];
  return withAnnotation(ctx, input, 'commenter', [], async (tx, before) => {
    const refusals = new Map(commentIds.map((id) => [id, refusalOf(ctx, before, id)]));
    const deletedIds = new Set(commentIds.filter((id) => refusals.get(id) === undefined));
    await removeComments(ctx, tx, before, deletedIds);
    return outcomeMap(
      commentIds.map((id) => {
        const refusal = refusals.get(id);
        return refusal ? failed(String(id), refusal) : succeeded(String(id), 'Comment deleted.');
      }),
    );
  });
}

async function removeComments(
  ctx: KeyContext,
  tx: Transaction,
  before: FullAnnotation,
  deletedIds: Set<number>,
): Promise<void> {
  if (deletedIds.size === 0) return;
  const isKept = ({ commentId }: { commentId: number }) => !deletedIds.has(commentId);
  const comments = before.comments.filter(isKept);
  // The newest remaining comment decides whether the annotation counts as unread.
  const last = newestOf(comments);
  const after = {
    ...before,
    lastCommentAt: last?.createdAt ?? before.createdAt,
    lastCommentBy: (last?.from ?? before.from).userId,
    comments,
    reactions: before.reactions.filter(isKept),
    lastUpdated: Math.max(ctx.clock.now(), before.lastUpdated),
  };
  tx.beforeCommit(sql`
    DELETE FROM comments
    WHERE tenant_id = ${ctx.tenantId} AND annotation_id = ${before.annotationId}
      AND comment_id = ANY(${[...deletedIds]}::bigint[])`);
  const deleted = before.comments.filter((comment) => !isKept(comment));
  const contents = deleted.map(({ content }) => content);
  deleteNamedAttachments(ctx, tx, [{ ...before, contents }]);
  await updateAnnotationRows(tx, ctx.tenantId, [after]);
  saveMentions(tx, ctx.tenantId, after);
  const presented = presentAnnotation(ctx.tenantId, before);
  const event = annotationEvent(ctx, 'comment.delete', after, {
    actionUser: ctx.userId === undefined ? undefined : { userId: ctx.userId },
    commentIds: [...deletedIds],
    triggerNotification: false,
    previous: { comments: presented.comments.filter((comment) => !isKept(comment)) },
  });
  await ctx.events.append(tx, ctx.tenantId, [event]);
}

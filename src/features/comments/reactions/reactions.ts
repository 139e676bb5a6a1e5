import { z } from 'zod';
import { failed, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { newId } from '../../../platform/ids.ts';
import type { FullAnnotation, ReactionRow } from '../annotation-row.ts';
import { annotationEvent, wantsNotification } from '../annotations/annotation-event.ts';
import { requireSize } from '../annotations/annotation-size.ts';
import { insertReactions, updateAnnotationRows } from '../annotations/save-annotations.ts';
import { personalFields } from '../annotations/schema.ts';
import { withActingUser } from '../annotations/with-annotation.ts';
import { reactionIcon } from '../input-schemas.ts';

export const Reaction = z.object({
  ...personalFields,
  commentId: z.number().int().positive(),
  icon: reactionIcon,
});
type ReactionInput = z.infer<typeof Reaction>;

/**
 * Adds a user's reaction. All reactions to a comment with the same icon form one reaction annotation
 * (specification 2.11).
 */
export function addReaction(ctx: KeyContext, input: ReactionInput) {
  return withActingUser(ctx, input, 'commenter', async (tx, before, getActingUser) => {
    const { commentId, icon, annotationId } = input;
    if (!before.comments.some((comment) => comment.commentId === commentId)) {
      return failed(annotationId, 'Comment does not exist.');
    }
    const user = await getActingUser('ensureMember');
    const same = before.reactions.filter((row) => row.commentId === commentId && row.icon === icon);
    if (same.some((row) => row.user.userId === user.userId)) {
      return succeeded(annotationId, 'Reaction already exists.');
    }
    const lastUpdated = Math.max(ctx.clock.now(), before.lastUpdated);
    const reactionId = same[0]?.reactionId ?? newId();
    const row: ReactionRow = { commentId, icon, reactionId, user, lastUpdated };
    insertReactions(tx, ctx.tenantId, [{ annotationId, reactions: [row] }]);
    const after = { ...before, reactions: [...before.reactions, row], lastUpdated };
    await requireSize(after);
    await saveReactionChange(ctx, tx, after, { type: 'comment.reaction_add', row });
    return succeeded(annotationId, 'Reaction added.');
  });
}

export function deleteReaction(ctx: KeyContext, input: ReactionInput) {
  return withActingUser(ctx, input, 'commenter', async (tx, before, getActingUser) => {
    const { commentId, icon, annotationId } = input;
    const { userId } = await getActingUser('asIs');
    const row = before.reactions.find(
      (each) => each.commentId === commentId && each.icon === icon && each.user.userId === userId,
    );
    if (!row) return failed(annotationId, 'Reaction does not exist.');
    tx.beforeCommit(sql`
      DELETE FROM comment_reactions
      WHERE tenant_id = ${ctx.tenantId} AND annotation_id = ${annotationId}
        AND comment_id = ${commentId}::bigint AND icon = ${icon} AND user_id = ${userId}`);
    const lastUpdated = Math.max(ctx.clock.now(), before.lastUpdated);
    const reactions = before.reactions.filter((each) => each !== row);
    const after = { ...before, reactions, lastUpdated };
    await saveReactionChange(ctx, tx, after, { type: 'comment.reaction_delete', row });
    return succeeded(annotationId, 'Reaction deleted.');
  });
}

async function saveReactionChange(
  ctx: KeyContext,
  tx: Transaction,
  after: FullAnnotation,
  { type, row }: { type: 'comment.reaction_add' | 'comment.reaction_delete'; row: ReactionRow },
): Promise<void> {
  await updateAnnotationRows(tx, ctx.tenantId, [after]);
  const event = annotationEvent(ctx, type, after, {
    actionUser: row.user,
    commentIds: [row.commentId],
    reaction: { icon: row.icon },
    triggerNotification: type === 'comment.reaction_add' && wantsNotification(ctx, undefined),
  });
  await ctx.events.append(tx, ctx.tenantId, [event]);
}

import { isDeepStrictEqual } from 'node:util';
import { failed, mergeItems, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import type { ItemOutcome } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
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
  saveMentions,
  saveSubscriptions,
} from '../annotations/annotation-users.ts';
import { completeContent } from '../annotations/build-comments.ts';
import { type ResolvedUsers, usersNamedIn } from '../annotations/resolve-users.ts';
import { updateAnnotationRows } from '../annotations/save-annotations.ts';
import { withAnnotation } from '../annotations/with-annotation.ts';
import { presentAnnotation, presentContent } from '../present-annotation.ts';
import { refusalOf } from './refuse-change.ts';
import type { UpdateCommentsInput } from './schema.ts';

/** Changes the given fields of comments. Users may change only their own comments. */
export function updateComments(
  ctx: KeyContext,
  input: UpdateCommentsInput,
): Promise<Record<string, ItemOutcome>> {
  const batch = mergeItems(input.commentData, (comment) => String(comment.commentId));
  const named = usersNamedIn(ctx, batch);
  return withAnnotation(ctx, input, 'commenter', named, async (tx, before, resolve) => {
    const refusals = new Map(batch.map((each) => [each, refusalOf(ctx, before, each.commentId)]));
    const accepted = batch.filter((each) => refusals.get(each) === undefined);
    const [users, attachments] = await pipeline([
      resolve(usersNamedIn(ctx, accepted)),
      readNamedAttachments(ctx, tx, before, accepted),
    ]);
    const updates = accepted.map((each) => {
      // Several changes to one comment were merged. Errors name the index of the last one.
      const index = input.commentData.findLastIndex(
        ({ commentId }) => commentId === each.commentId,
      );
      return withNamedAttachments(attachments, each, `commentData[${index}]`);
    });
    linkAttachments(ctx, tx, [{ ...before, contents: updates }]);
    const now = Math.max(ctx.clock.now(), before.lastUpdated);
    const changed = updates.flatMap((each) => updatedComment(before, each, { users, now }) ?? []);
    const triggerNotification = accepted.some((each) =>
      wantsNotification(ctx, each.triggerNotification),
    );
    await saveUpdates(ctx, tx, before, { changed, now, users, triggerNotification });
    return outcomeMap(
      batch.map((each) => {
        const id = String(each.commentId);
        const refusal = refusals.get(each);
        return refusal ? failed(id, refusal) : succeeded(id, 'Comment updated.');
      }),
    );
  });
}

/** Returns the comment as it is after the update; undefined if it stays the same. */
function updatedComment(
  { comments }: FullAnnotation,
  update: UpdateCommentsInput['commentData'][number],
  { users, now }: { users: ResolvedUsers; now: number },
): CommentRow | undefined {
  const { commentId, triggerNotification, agent, ...content } = update;
  const old = comments.find((comment) => comment.commentId === commentId);
  if (!old) return undefined;
  const merged = {
    ...old.content,
    ...completeContent(content, users),
    // Only API keys may change a comment's agent.
    ...(agent && !users.tokenUser && { agent }),
  };
  if (isDeepStrictEqual(presentContent(merged), presentContent(old.content))) return undefined;
  return { ...old, content: merged, status: 'updated', lastUpdated: now };
}

interface Changes {
  changed: CommentRow[];
  now: number;
  users: ResolvedUsers;
  triggerNotification: boolean;
}

async function saveUpdates(
  ctx: KeyContext,
  tx: Transaction,
  before: FullAnnotation,
  { changed, now, users, triggerNotification }: Changes,
): Promise<void> {
  if (changed.length === 0) return;
  const byId = new Map(changed.map((comment) => [comment.commentId, comment]));
  const comments = before.comments.map((comment) => byId.get(comment.commentId) ?? comment);
  const mentioned = autoSubscriptionsOf(changed).filter((person) => person.mentioned);
  const subscriptions = mergeSubscriptions(before.subscriptions, mentioned);
  const after = { ...before, comments, subscriptions, lastUpdated: now };
  await requireSize(after);
  tx.beforeCommit(sql`
    UPDATE comments SET status = given.status, content = given.content,
      last_updated = given."lastUpdated"
    FROM jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) AS given(
      "commentId" bigint, status text, content jsonb, "lastUpdated" bigint)
    WHERE tenant_id = ${ctx.tenantId} AND annotation_id = ${after.annotationId}
      AND comment_id = given."commentId"`);
  await updateAnnotationRows(tx, ctx.tenantId, [after]);
  saveSubscriptions(tx, ctx.tenantId, [{ annotation: after, changes: mentioned }]);
  saveMentions(tx, ctx.tenantId, after);
  const isChanged = ({ commentId }: { commentId: number }) => byId.has(commentId);
  const event = annotationEvent(ctx, 'comment.update', after, {
    actionUser: users.tokenUser ?? changed[0]?.from,
    commentIds: [...byId.keys()],
    triggerNotification,
    previous: { comments: presentAnnotation(ctx.tenantId, before).comments.filter(isChanged) },
  });
  await ctx.events.append(tx, ctx.tenantId, [event]);
}

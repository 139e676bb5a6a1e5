import type { Services } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { EventReader } from '../../../platform/events/event-reader.ts';
import { ANNOTATION_EVENTS } from '../../comments/annotations/annotation-event.ts';
import { endSubscriptionsOfDeletedUsers } from '../../comments/annotations/annotation-users.ts';
import { keysWithNotifications, loadNotificationConfigs } from '../settings/notification-config.ts';
import { type AnnotationEvent, isAnnotationEvent } from './annotation-event.ts';
import { audienceOf, countEventsAtOnce, isTriggered } from './audience.ts';
import { batchEvents, isDeferred } from './batches.ts';
import { dropStale } from './current-events.ts';
import { notify } from './notify.ts';

/**
 * Generates notifications from events about annotations, by the key's triggers and the users'
 * preferences, either at once or after the key's delay and batching.
 */
export const notificationReader: EventReader<Services> = {
  name: 'notifications',
  types: [...ANNOTATION_EVENTS, 'user.delete'],
  // Deletions are read even while the service is off, because earlier notifications are deleted with them.
  where: sql`(type LIKE '%.delete' OR tenant_id IN (${keysWithNotifications}))`,
  limitBatch: countEventsAtOnce,
  async handle(services, tx, events, isLate = false) {
    const deleted = events.filter(({ type }) => type === 'user.delete');
    const users = deleted.map(({ tenantId, data }) => ({
      tenantId,
      userId: (data as { userId: string }).userId,
    }));
    await endSubscriptionsOfDeletedUsers(tx, users);
    const current = await withdrawNotifications(tx, events.filter(isAnnotationEvent));
    if (current.length === 0) return;
    const byTenant = Map.groupBy(current, ({ tenantId }) => tenantId);
    const configs = await loadNotificationConfigs(tx, [...byTenant.keys()]);
    for (const [tenantId, config] of configs) {
      const { useNotificationService, triggers } = config;
      if (!useNotificationService) continue;
      const ofTenant = byTenant.get(tenantId) ?? [];
      // If these events are late, later events that withdraw their notifications have already been handled.
      const valid = isLate ? await dropStale(tx, tenantId, ofTenant) : ofTenant;
      if (isDeferred(config)) {
        const notifying = valid.filter(
          (event) => isTriggered(triggers, event) && audienceOf(event).length > 0,
        );
        await batchEvents(tx, tenantId, config, notifying);
      } else {
        const batches = valid.map((event) => [event]);
        await notify(services, tx, { tenantId, triggers, batches, haveWaited: isLate });
      }
    }
  },
};

/**
 * Deletes the notifications about deleted annotations, and those whose comments were all deleted, for
 * all tenants. Other notifications lose the text of a deleted comment. Even before this has run, lists
 * hide notifications about a deleted annotation.
 *
 * @returns the events that may still notify, without the comments that a later event deletes
 */
async function withdrawNotifications(
  tx: Transaction,
  events: AnnotationEvent[],
): Promise<AnnotationEvent[]> {
  const deletions = events.filter(({ type }) => /^comment(?:_annotation)?\.delete$/.test(type));
  if (deletions.length === 0) return events;
  const list = JSON.stringify(
    deletions.map(({ tenantId, type, data: { annotationId } }) => ({
      tenant_id: tenantId,
      annotation_id: annotationId,
      is_whole: type === 'comment_annotation.delete',
    })),
  );
  // Each thread is one row, however many of its comments were deleted.
  const threads = sql`(
    SELECT tenant_id, annotation_id, bool_or(is_whole) AS is_whole
    FROM jsonb_to_recordset(${list}::jsonb) AS deletion(
      tenant_id text, annotation_id text, is_whole boolean)
    GROUP BY tenant_id, annotation_id) AS thread`;
  // If a batch is being released, this waits for it, and its notifications are deleted below.
  await tx.query(sql`
    DELETE FROM held_notifications h /* all tenants, background */ USING ${threads}
    WHERE h.tenant_id = thread.tenant_id AND h.annotation_id = thread.annotation_id
      AND thread.is_whole`);
  await tx.query(sql`
    DELETE FROM notifications n /* all tenants, background */ USING ${threads}
    WHERE n.tenant_id = thread.tenant_id AND n.annotation_id = thread.annotation_id
      AND (thread.is_whole OR n.content ? 'commentIds' AND NOT EXISTS (
        SELECT 1 FROM jsonb_array_elements(n.content->'commentIds') AS named(id)
        JOIN comments c ON c.tenant_id = n.tenant_id AND c.annotation_id = n.annotation_id
          AND c.comment_id = named.id::bigint))`);
  await tx.query(sql`
    UPDATE notifications n /* all tenants, background */
    SET content = n.content - 'bodyCommentId' || '{"body": ""}' FROM ${threads}
    WHERE n.tenant_id = thread.tenant_id AND n.annotation_id = thread.annotation_id
      AND n.content ? 'bodyCommentId' AND NOT EXISTS (
        SELECT 1 FROM comments c
        WHERE c.tenant_id = n.tenant_id AND c.annotation_id = n.annotation_id
          AND to_jsonb(c.comment_id) = n.content->'bodyCommentId')`);
  return events.flatMap((event, index) => withoutDeleted(event, events.slice(index + 1)));
}

/** Returns the event without the comments that later events delete; empty if they delete its whole subject. */
function withoutDeleted(event: AnnotationEvent, later: AnnotationEvent[]): AnnotationEvent[] {
  const { tenantId, data } = event;
  const { annotationId, commentIds = [] } = data;
  const ofThread = later.filter(
    (each) => each.tenantId === tenantId && each.data.annotationId === annotationId,
  );
  if (ofThread.some(({ type }) => type === 'comment_annotation.delete')) return [];
  const deletions = ofThread.filter(({ type }) => type === 'comment.delete');
  const gone = new Set(deletions.flatMap((each) => each.data.commentIds ?? []));
  if (commentIds.length > 0 && commentIds.every((id) => gone.has(id))) return [];
  const comments = data.comments.filter(({ commentId }) => !gone.has(commentId));
  return [{ ...event, data: { ...data, comments } }];
}

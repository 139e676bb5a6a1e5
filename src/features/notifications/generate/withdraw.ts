import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { AnnotationEvent } from './annotation-event.ts';

/**
 * Deletes the notifications about deleted annotations, and those about deleted comments only, for
 * all tenants. Until then, lists already hide notifications about a deleted annotation.
 *
 * @returns the events that may still notify: not those about comments that a later event deletes
 */
export async function withdraw(
  tx: Transaction,
  events: AnnotationEvent[],
): Promise<AnnotationEvent[]> {
  const deletions = events.filter(({ type }) => /^comment(?:_annotation)?\.delete$/.test(type));
  if (deletions.length === 0) return events;
  const gone = JSON.stringify(
    deletions.map(({ tenantId, type, data: { annotationId, commentIds = [] } }) => ({
      tenant_id: tenantId,
      annotation_id: annotationId,
      comment_ids: type === 'comment.delete' ? commentIds : null,
    })),
  );
  // If a batch is being released, its deletion waits, and its notifications are deleted below.
  await tx.query(sql`
    DELETE FROM held_notifications h /* all tenants, background */
    USING jsonb_to_recordset(${gone}::jsonb) AS gone(
      tenant_id text, annotation_id text, comment_ids jsonb)
    WHERE h.tenant_id = gone.tenant_id AND h.annotation_id = gone.annotation_id
      AND gone.comment_ids IS NULL`);
  await tx.query(sql`
    DELETE FROM notifications n /* all tenants, background */
    USING jsonb_to_recordset(${gone}::jsonb) AS gone(
      tenant_id text, annotation_id text, comment_ids jsonb)
    WHERE n.tenant_id = gone.tenant_id AND n.annotation_id = gone.annotation_id
      AND (gone.comment_ids IS NULL OR n.content->'commentIds' <@ gone.comment_ids)`);
  return events.filter((event, index) => !isDeletedLater(event, events.slice(index + 1)));
}

function isDeletedLater({ tenantId, data }: AnnotationEvent, later: AnnotationEvent[]): boolean {
  const { annotationId, commentIds = [] } = data;
  if (commentIds.length === 0) return false;
  const deletions = later.filter(
    (each) =>
      each.type === 'comment.delete' &&
      each.tenantId === tenantId &&
      each.data.annotationId === annotationId,
  );
  const gone = new Set(deletions.flatMap((each) => each.data.commentIds ?? []));
  return commentIds.every((id) => gone.has(id));
}

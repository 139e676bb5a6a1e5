import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { AnnotationEvent } from './annotation-event.ts';

/**
 * Takes along what was notified of annotations and comments that are deleted. Lists do not show
 * what is about a deleted annotation before that. Of comments, what is about no other goes.
 *
 * @returns the events that are still worth telling: not of comments that are deleted by now
 */
export async function withdraw(
  tx: Transaction,
  tenantId: string,
  events: AnnotationEvent[],
): Promise<AnnotationEvent[]> {
  const annotationIds = events
    .filter(({ type }) => type === 'comment_annotation.delete')
    .map(({ data }) => data.annotationId);
  if (annotationIds.length > 0) await withdrawAnnotations(tx, tenantId, annotationIds);
  const deletions = events.filter(({ type }) => type === 'comment.delete');
  if (deletions.length === 0) return events;
  await withdrawComments(tx, tenantId, deletions);
  return events.filter((event, index) => !isGone(event, events.slice(index + 1)));
}

/** What is held waits for the sweep that may be releasing it, whose work is then deleted below. */
async function withdrawAnnotations(
  tx: Transaction,
  tenantId: string,
  annotationIds: string[],
): Promise<void> {
  await tx.query(sql`
    DELETE FROM held_notifications
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${annotationIds})`);
  await tx.query(sql`
    DELETE FROM notifications
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${annotationIds})`);
}

async function withdrawComments(
  tx: Transaction,
  tenantId: string,
  deletions: AnnotationEvent[],
): Promise<void> {
  const rows = deletions.map(({ data: { annotationId, commentIds } }) => ({
    annotation_id: annotationId,
    comment_ids: commentIds ?? [],
  }));
  await tx.query(sql`
    DELETE FROM notifications n
    USING jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS gone(
      annotation_id text, comment_ids jsonb)
    WHERE n.tenant_id = ${tenantId} AND n.annotation_id = gone.annotation_id
      AND n.content->'commentIds' <@ gone.comment_ids`);
}

function isGone({ data }: AnnotationEvent, later: AnnotationEvent[]): boolean {
  const { annotationId, commentIds = [] } = data;
  const gone = new Set(
    later
      .filter((each) => each.type === 'comment.delete' && each.data.annotationId === annotationId)
      .flatMap((each) => each.data.commentIds ?? []),
  );
  return commentIds.length > 0 && commentIds.every((id) => gone.has(id));
}

import { type Queryable, sql } from '../../../platform/database/database.ts';
import { loadAnnotations } from '../../comments/load-annotations.ts';
import type { PresentedAnnotation } from '../../comments/presented.ts';
import type { AnnotationEvent } from './annotation-event.ts';

/**
 * Drops waiting events whose subject was deleted meanwhile: the annotation, all comments that the
 * event is about, or the reaction. The others get the comments as they are now.
 */
export async function dropStale(
  db: Queryable,
  tenantId: string,
  events: AnnotationEvent[],
): Promise<AnnotationEvent[]> {
  const ids = [...new Set(events.map(({ data }) => data.annotationId))];
  const annotations = await loadAnnotations(db, tenantId, ids);
  return events.flatMap((event) => {
    const now = annotations.get(event.data.annotationId);
    if (!now || isStale(event, now)) return [];
    return { ...event, data: { ...event.data, comments: now.comments } };
  });
}

function isStale({ type, data }: AnnotationEvent, { comments }: PresentedAnnotation): boolean {
  const { commentIds = [], actionUser, reaction } = data;
  const about = comments.filter((comment) => commentIds.includes(comment.commentId));
  if (commentIds.length > 0 && about.length === 0) return true;
  if (type !== 'comment.reaction_add') return false;
  return !about
    .flatMap((comment) => comment.reactionAnnotations)
    .filter(({ icon }) => icon === reaction?.icon)
    .some(({ fromUsers }) => fromUsers.some(({ from }) => from.userId === actionUser?.userId));
}

/** Tells whether a user has read the annotation since the event, and so needs no notification. */
export async function loadReaders(
  db: Queryable,
  tenantId: string,
  events: AnnotationEvent[],
): Promise<(userId: string, event: AnnotationEvent) => boolean> {
  const ids = [...new Set(events.map(({ data }) => data.annotationId))];
  const rows = await db.query<{ annotationId: string; userId: string; readMs: number }>(sql`
    SELECT annotation_id AS "annotationId", user_id AS "userId", read_at::float8 AS "readMs"
    FROM annotation_users
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${ids}) AND read_at IS NOT NULL`);
  const keyOf = (annotationId: string, userId: string) => JSON.stringify([annotationId, userId]);
  const read = new Map(rows.map((row) => [keyOf(row.annotationId, row.userId), row.readMs]));
  return (userId, { data: { annotationId }, createdAt }) =>
    (read.get(keyOf(annotationId, userId)) ?? 0) > createdAt.getTime();
}

import type { Queryable } from '../../../platform/database/database.ts';
import { eventsAt } from '../../../platform/events/logged-events.ts';
import { loadAnnotations } from '../../comments/load-annotations.ts';
import type { PresentedAnnotation } from '../../comments/presented.ts';
import { type AnnotationEvent, isAnnotationEvent } from './annotation-event.ts';

/** Reads events that waited, without stale ones and with the comments as they are now. */
export async function currentEvents(
  db: Queryable,
  tenantId: string,
  sequences: Iterable<string>,
): Promise<AnnotationEvent[]> {
  const positions = [...new Set(sequences)].map((sequence) => ({ tenantId, sequence }));
  return dropStale(db, tenantId, (await eventsAt(db, positions)).filter(isAnnotationEvent));
}

/**
 * Drops waiting events whose subject was deleted meanwhile: the annotation, all comments that the
 * event is about, or the reaction. The others get the comments as they are now. An annotation that
 * was added again under the same id is another one.
 */
export async function dropStale(
  db: Queryable,
  tenantId: string,
  events: AnnotationEvent[],
): Promise<AnnotationEvent[]> {
  const ids = [...new Set(events.map(({ data }) => data.annotationId))];
  const annotations = await loadAnnotations(db, tenantId, ids);
  return events.flatMap((event) => {
    const annotation = annotations.get(event.data.annotationId);
    if (!annotation || isStale(event, annotation)) return [];
    return { ...event, data: { ...event.data, comments: annotation.comments } };
  });
}

function isStale({ type, data }: AnnotationEvent, annotation: PresentedAnnotation): boolean {
  if (data.createdAt !== annotation.createdAt) return true;
  const { comments } = annotation;
  const { commentIds = [], actionUser, reaction } = data;
  const subjects = comments.filter((comment) => commentIds.includes(comment.commentId));
  if (commentIds.length > 0 && subjects.length === 0) return true;
  if (type !== 'comment.reaction_add') return false;
  return !subjects
    .flatMap((comment) => comment.reactionAnnotations)
    .filter(({ icon }) => icon === reaction?.icon)
    .some(({ fromUsers }) => fromUsers.some(({ from }) => from.userId === actionUser?.userId));
}

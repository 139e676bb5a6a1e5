import type { Queryable } from '../../../platform/database/database.ts';
import { eventsAt } from '../../../platform/events/logged-events.ts';
import { loadPresentedAnnotations } from '../../comments/load-annotations.ts';
import type { PresentedAnnotation, PresentedComment } from '../../comments/response-schemas.ts';
import {
  type AnnotationEvent,
  type AnnotationEventData,
  isAnnotationEvent,
} from './annotation-event.ts';

/** Reads events that have waited, without stale ones, and with the comments as they are now. */
export async function currentEvents(
  db: Queryable,
  tenantId: string,
  sequences: Iterable<string>,
): Promise<AnnotationEvent[]> {
  const positions = [...new Set(sequences)].map((sequence) => ({ tenantId, sequence }));
  return dropStale(db, tenantId, (await eventsAt(db, positions)).filter(isAnnotationEvent));
}

/**
 * Drops waiting events whose subject was deleted or withdrawn meanwhile: the annotation, all comments
 * that the event is about, the reaction, or the assignment. The other events get the comments as they
 * are now. An annotation or a reaction that was deleted and added again counts as a new one.
 */
export async function dropStale(
  db: Queryable,
  tenantId: string,
  events: AnnotationEvent[],
): Promise<AnnotationEvent[]> {
  const ids = [...new Set(events.map(({ data }) => data.annotationId))];
  const annotations = await loadPresentedAnnotations(db, tenantId, ids);
  return events.flatMap((event) => {
    const annotation = annotations.get(event.data.annotationId);
    if (!annotation || isStale(event, annotation)) return [];
    const data = { ...event.data, comments: annotation.comments };
    return { ...event, data, commentsAtEvent: event.data.comments };
  });
}

function isStale({ type, data }: AnnotationEvent, annotation: PresentedAnnotation): boolean {
  if (data.createdAt !== annotation.createdAt) return true;
  const { commentIds = [], assignedTo } = data;
  if (type === 'comment_annotation.assign') {
    return assignedTo?.userId !== annotation.assignedTo?.userId;
  }
  const isSubject = ({ commentId }: PresentedComment) => commentIds.includes(commentId);
  if (commentIds.length > 0 && !annotation.comments.some(isSubject)) return true;
  if (type !== 'comment.reaction_add') return false;
  const reactedAt = timeOfReaction(data, annotation.comments);
  return reactedAt === undefined || reactedAt !== timeOfReaction(data, data.comments);
}

/** Returns the time of the reaction that an event is about, if the comments have this reaction. */
function timeOfReaction(
  { commentIds = [], actionUser, reaction }: AnnotationEventData,
  comments: PresentedComment[],
): number | undefined {
  return comments
    .filter(({ commentId }) => commentIds.includes(commentId))
    .flatMap(({ reactionAnnotations }) => reactionAnnotations)
    .filter(({ icon }) => icon === reaction?.icon)
    .flatMap(({ fromUsers }) => fromUsers)
    .find(({ from }) => from.userId === actionUser?.userId)?.lastUpdated;
}

import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { EventDetails } from '../../comments/annotations/annotation-event.ts';
import type { PresentedAnnotation, PresentedComment } from '../../comments/response-schemas.ts';
import { accessOfPresented } from '../../comments/visibility/presented-access.ts';

/** The data of an event about an annotation: the annotation, and the `EventDetails` of the event. */
export type AnnotationEventData = PresentedAnnotation &
  EventDetails & { previous?: Partial<PresentedAnnotation> };

export interface AnnotationEvent extends LoggedEvent {
  organizationId: string;
  documentId: string;
  data: AnnotationEventData;
  /** The comments as they were at the time of the event, if `data` has the current ones. */
  commentsAtEvent?: PresentedComment[];
}

export const isAnnotationEvent = (event: LoggedEvent): event is AnnotationEvent =>
  /^comment(?:_annotation)?\./.test(event.type) &&
  event.organizationId !== null &&
  event.documentId !== null;

/** Returns the comments that an event is about, without drafts. */
export function publishedComments({
  commentIds,
  comments,
}: AnnotationEventData): PresentedComment[] {
  const ids = new Set(commentIds);
  return comments.filter(({ commentId, isDraft }) => ids.has(commentId) && !isDraft);
}

/** Returns the annotation in the data of an event. */
export function annotationOf({
  actionUser,
  commentIds,
  triggerNotification,
  previous,
  reaction,
  ...annotation
}: AnnotationEventData): Record<string, unknown> {
  return annotation;
}

/** Returns the fields that decide who may see the annotation, as they were at the time of the event. */
export const accessAtEvent = ({ organizationId, documentId, data }: AnnotationEvent) => ({
  ...accessOfPresented(data),
  organizationId,
  documentId,
});

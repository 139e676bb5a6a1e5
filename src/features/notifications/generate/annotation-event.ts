import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { NamedUserObject } from '../../comments/comment-row.ts';
import type { PresentedAnnotation, PresentedComment } from '../../comments/presented.ts';

/** The data of an event about an annotation: the annotation, and the circumstances. */
export interface AnnotationEventData extends PresentedAnnotation {
  assignedTo?: NamedUserObject;
  /** Absent if no acting user is known, because the customer's server acted. */
  actionUser?: NamedUserObject;
  commentIds?: number[];
  triggerNotification: boolean;
  /** The changed comments, or the annotation, as they were before. */
  previous?: Partial<PresentedAnnotation>;
  reaction?: { icon: string };
}

export interface AnnotationEvent extends LoggedEvent {
  organizationId: string;
  documentId: string;
  data: AnnotationEventData;
}

export const isAnnotationEvent = (event: LoggedEvent): event is AnnotationEvent =>
  /^comment(?:_annotation)?\./.test(event.type) &&
  event.organizationId !== null &&
  event.documentId !== null;

/** The comments that an event is about, without drafts. */
export function commentsOf({ commentIds, comments }: AnnotationEventData): PresentedComment[] {
  const ids = new Set(commentIds);
  return comments.filter((comment) => ids.has(comment.commentId) && !comment.isDraft);
}

/** The annotation at the time of the event, without the circumstances. */
export function annotationIn({
  actionUser,
  commentIds,
  triggerNotification,
  previous,
  reaction,
  ...annotation
}: AnnotationEventData): Record<string, unknown> {
  return annotation;
}

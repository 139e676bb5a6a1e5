import type { LoggedEvent } from '../../../platform/events/event-log.ts';
import type { NamedUserObject } from '../../comments/comment-row.ts';
import type { PresentedAnnotation, PresentedComment } from '../../comments/presented.ts';

/** What the data of an event about an annotation hold: the annotation, and the circumstances. */
export interface AnnotationEventData extends PresentedAnnotation {
  assignedTo?: NamedUserObject;
  /** Absent where nobody is known to have acted: the customer's own server did. */
  actionUser?: NamedUserObject;
  commentIds?: number[];
  triggerNotification: boolean;
  /** Comments as they were; or the annotation. */
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

/** The comments that an event is about. Drafts are nobody's business yet. */
export function commentsOf({ commentIds, comments }: AnnotationEventData): PresentedComment[] {
  const ids = new Set(commentIds);
  return comments.filter((comment) => ids.has(comment.commentId) && !comment.isDraft);
}

/** The annotation alone, as it was when the event happened. */
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

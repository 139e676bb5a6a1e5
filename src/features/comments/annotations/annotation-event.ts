import type { KeyContext } from '../../../api/context.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { documentChannels } from '../../directory/documents/lock-document.ts';
import type { FullAnnotation, NamedUserObject } from '../annotation-row.ts';
import { presentAnnotation } from '../present-annotation.ts';

/** The types of events about annotations, with their summaries. */
export const ANNOTATION_SUMMARIES = {
  'comment_annotation.add': 'An annotation was added, with its first comments.',
  'comment_annotation.delete': 'An annotation was deleted.',
  'comment_annotation.status_change': 'The status was changed.',
  'comment_annotation.assign': 'The assignee of the annotation was changed.',
  'comment_annotation.priority_change': 'The priority was changed.',
  'comment_annotation.access_mode_change': 'The visibility was changed.',
  'comment_annotation.custom_list_change': 'The custom list was changed.',
  'comment_annotation.approve': 'The annotation was approved.',
  'comment_annotation.accept': 'The annotation was accepted.',
  'comment_annotation.reject': 'The annotation was rejected.',
  'comment_annotation.subscribe': 'A user subscribed to the annotation.',
  'comment_annotation.unsubscribe': 'A user unsubscribed from the annotation.',
  'comment_annotation.suggestion_accept': 'The suggestion was accepted.',
  'comment_annotation.suggestion_reject': 'The suggestion was rejected.',
  'comment.add': 'Comments were added to the annotation.',
  'comment.update': 'Comments or other fields of the annotation were changed.',
  'comment.delete': 'Comments were deleted.',
  'comment.reaction_add': 'A reaction was added.',
  'comment.reaction_delete': 'A reaction was deleted.',
};

export type AnnotationEventType = keyof typeof ANNOTATION_SUMMARIES;

export const ANNOTATION_EVENTS = Object.keys(ANNOTATION_SUMMARIES) as AnnotationEventType[];

/** The parts of an event about an annotation that are not the annotation itself. */
export interface EventDetails {
  /** The user who acted, if known: the author, or the user of the token. */
  actionUser?: NamedUserObject | undefined;
  commentIds?: number[] | undefined;
  triggerNotification: boolean;
  /** The changed parts, as they were before. */
  previous?: object | undefined;
  reaction?: { icon: string } | undefined;
}

/**
 * Creates an event about an annotation. Its `data` is the annotation as read operations present it,
 * together with `details`. If an agent acted for the user, it is shown in `actionUser`.
 */
export function annotationEvent(
  ctx: KeyContext,
  type: AnnotationEventType,
  row: FullAnnotation,
  details: EventDetails,
): NewEvent {
  const { organizationId, documentId, folderId } = row;
  const { agent } = ctx;
  const actionUser = details.actionUser && {
    ...details.actionUser,
    ...(agent && { agent }),
  };
  return {
    type,
    organizationId,
    documentId,
    channels: documentChannels(row, folderId, actionUser?.userId),
    data: { ...presentAnnotation(ctx.tenantId, row), ...details, actionUser },
  };
}

/** Whether a call notifies users. The default is true for user tokens and false for API keys. */
export const wantsNotification = (ctx: KeyContext, requested: boolean | undefined): boolean =>
  requested ?? ctx.userId !== undefined;

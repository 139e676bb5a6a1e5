import type { KeyContext } from '../../../api/context.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import type { FullAnnotation } from '../annotation-row.ts';
import type { NamedUserObject } from '../comment-row.ts';
import { presentAnnotation } from '../present.ts';

export const ANNOTATION_EVENTS = [
  'comment_annotation.add',
  'comment_annotation.delete',
  'comment_annotation.status_change',
  'comment_annotation.assign',
  'comment_annotation.priority_change',
  'comment_annotation.access_mode_change',
  'comment_annotation.custom_list_change',
  'comment_annotation.approve',
  'comment_annotation.accept',
  'comment_annotation.reject',
  'comment_annotation.subscribe',
  'comment_annotation.unsubscribe',
  'comment_annotation.suggestion_accept',
  'comment_annotation.suggestion_reject',
  'comment.add',
  'comment.update',
  'comment.delete',
  'comment.reaction_add',
  'comment.reaction_delete',
] as const;

export type AnnotationEventType = (typeof ANNOTATION_EVENTS)[number];

/** What readers of an event want to know beside the annotation. */
export interface Circumstances {
  /** Who acted, where that is known: the author, or whoever came with a user token. */
  actionUser?: NamedUserObject | undefined;
  /** The comments that the event is about. */
  commentIds?: number[] | undefined;
  /** Whether those who take part are to be notified. */
  triggerNotification: boolean;
  /** What was changed, as it was. */
  previous?: object | undefined;
  reaction?: { icon: string } | undefined;
}

/**
 * An event about an annotation (decisions section 7): `data` is the annotation as read operations
 * present it, with what changed as it was in `previous`, and the circumstances beside it.
 */
export function annotationEvent(
  ctx: KeyContext,
  type: AnnotationEventType,
  row: FullAnnotation,
  circumstances: Circumstances,
): NewEvent {
  const { organizationId, documentId, folderId } = row;
  const { actionUser } = circumstances;
  return {
    type,
    organizationId,
    documentId,
    channels: [
      `organization:${organizationId}`,
      `document:${documentId}`,
      ...(folderId === null ? [] : [`folder:${folderId}`]),
      ...(actionUser ? [`user:${actionUser.userId}`] : []),
    ],
    data: { ...presentAnnotation(ctx.tenantId, row), ...circumstances },
  };
}

/** From user tokens by default, from API keys when they say so (decisions section 6). */
export const wantsNotification = (ctx: KeyContext, given: boolean | undefined): boolean =>
  given ?? ctx.userId !== undefined;

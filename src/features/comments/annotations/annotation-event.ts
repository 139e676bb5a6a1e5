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

/** The parts of an event about an annotation that are not the annotation itself. */
export interface Circumstances {
  /** The user who acted, if known: the author, or the user of the token. */
  actionUser?: NamedUserObject | undefined;
  /** The comments that the event is about. */
  commentIds?: number[] | undefined;
  /** Whether to notify the audience of the event. */
  triggerNotification: boolean;
  /** The changed parts, as they were before. */
  previous?: object | undefined;
  reaction?: { icon: string } | undefined;
}

/**
 * An event about an annotation (decisions section 7). Its `data` is the annotation as read
 * operations present it, together with the circumstances. An agent that acted for the user is shown
 * with the user.
 */
export function annotationEvent(
  ctx: KeyContext,
  type: AnnotationEventType,
  row: FullAnnotation,
  circumstances: Circumstances,
): NewEvent {
  const { organizationId, documentId, folderId } = row;
  const { agent } = ctx;
  const actionUser = circumstances.actionUser && {
    ...circumstances.actionUser,
    ...(agent && { agent }),
  };
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
    data: { ...presentAnnotation(ctx.tenantId, row), ...circumstances, actionUser },
  };
}

/** User tokens notify by default, API keys on request (decisions section 6). */
export const wantsNotification = (ctx: KeyContext, given: boolean | undefined): boolean =>
  given ?? ctx.userId !== undefined;

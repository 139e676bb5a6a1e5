import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { NamedUserObject } from '../../comments/comment-row.ts';
import {
  type AnnotationEvent,
  type AnnotationEventData,
  commentsOf,
  isAnnotationEvent,
} from './annotation-event.ts';
import type { Reason } from './audience.ts';

/** A headline with variables (2.12), and the text of the comment that the event is about. */
export interface Headline {
  template: string;
  templateData: Record<string, NamedUserObject | string>;
  body: string;
}

/** By event type: the headline with a known acting user, and without one. */
const TEMPLATES: Record<string, [string, string]> = {
  'comment_annotation.add': ['{actionUser} added a {kind}', 'A {kind} was added'],
  'comment.add': ['{actionUser} replied to a {kind}', 'There is a reply to a {kind}'],
  'comment.update': ['{actionUser} updated a {kind}', 'A {kind} was updated'],
  'comment.delete': ['{actionUser} deleted a comment', 'A comment was deleted'],
  'comment.reaction_add': [
    '{actionUser} reacted with {icon} to a comment',
    'Somebody reacted with {icon} to a comment',
  ],
  'comment.reaction_delete': [
    '{actionUser} took back the reaction {icon}',
    'The reaction {icon} was taken back',
  ],
  'comment_annotation.delete': ['{actionUser} deleted a {kind}', 'A {kind} was deleted'],
  'comment_annotation.status_change': [
    '{actionUser} changed the status of a {kind} to {status}',
    'The status of a {kind} was changed to {status}',
  ],
  'comment_annotation.priority_change': [
    '{actionUser} changed the priority of a {kind} to {priority}',
    'The priority of a {kind} was changed to {priority}',
  ],
  'comment_annotation.access_mode_change': [
    '{actionUser} changed who can see a {kind}',
    'Who can see a {kind} was changed',
  ],
  'comment_annotation.custom_list_change': [
    '{actionUser} changed the lists of a {kind}',
    'The lists of a {kind} were changed',
  ],
  'comment_annotation.approve': ['{actionUser} approved a {kind}', 'A {kind} was approved'],
  'comment_annotation.accept': ['{actionUser} accepted a {kind}', 'A {kind} was accepted'],
  'comment_annotation.reject': ['{actionUser} rejected a {kind}', 'A {kind} was rejected'],
  'comment_annotation.suggestion_accept': [
    '{actionUser} accepted a suggestion',
    'A suggestion was accepted',
  ],
  'comment_annotation.suggestion_reject': [
    '{actionUser} rejected a suggestion',
    'A suggestion was rejected',
  ],
};

const MENTION = ['{actionUser} mentioned you in a {kind}', 'You were mentioned in a {kind}'];
const OTHER = ['{actionUser} changed a {kind}', 'A {kind} was changed'];

/** The headline for an event about an annotation, in the words for a reason. */
export function headlineOf(event: LoggedEvent, reason: Reason = 'subscribed'): Headline {
  if (!isAnnotationEvent(event)) return { template: event.type, templateData: {}, body: '' };
  const { data } = event;
  const [withActor = '', withoutActor = ''] = templatesOf(event, reason);
  return {
    template: data.actionUser ? withActor : withoutActor,
    templateData: valuesOf(data),
    body: shortened(commentTextOf(data)),
  };
}

function templatesOf({ type, data }: AnnotationEvent, reason: Reason): string[] {
  if (reason === 'mentioned') return MENTION;
  if (type === 'comment_annotation.assign') return assignment(data, reason);
  return TEMPLATES[type] ?? OTHER;
}

function assignment({ assignedTo }: AnnotationEventData, reason: Reason): string[] {
  if (!assignedTo) {
    return ['{actionUser} took the assignee of a {kind} away', 'A {kind} has no assignee any more'];
  }
  return reason === 'assigned'
    ? ['{actionUser} assigned a {kind} to you', 'A {kind} was assigned to you']
    : ['{actionUser} assigned a {kind} to {assignedTo}', 'A {kind} was assigned to {assignedTo}'];
}

/** Every variable of the templates that has a value. */
function valuesOf(data: AnnotationEventData): Headline['templateData'] {
  const { actionUser, assignedTo, reaction, status, type: kind } = data;
  const { name, id } = (data.priority ?? {}) as { name?: string; id?: string };
  return {
    kind,
    status: typeof status.name === 'string' ? status.name : status.id,
    priority: name ?? id ?? 'none',
    ...(actionUser && { actionUser }),
    ...(assignedTo && { assignedTo }),
    ...(reaction && { icon: reaction.icon }),
  };
}

/** The last comment that the event is about, else the first comment of the thread. */
function commentTextOf(data: AnnotationEventData): string {
  const comment = commentsOf(data).at(-1) ?? data.comments.find(({ isDraft }) => !isDraft);
  return comment?.commentText ?? '';
}

const MAX_LENGTH = 500;

/** Cuts between words if possible, and never within a character. */
function shortened(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MAX_LENGTH) return trimmed;
  const cut = trimmed.slice(0, MAX_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.search(/\s\S*$/);
  return `${(space > MAX_LENGTH / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

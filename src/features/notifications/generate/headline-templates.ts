import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { NamedUserObject } from '../../comments/annotation-row.ts';
import {
  type AnnotationEvent,
  type AnnotationEventData,
  isAnnotationEvent,
  publishedComments,
} from './annotation-event.ts';
import type { Reason } from './audience.ts';

/** A headline with variables (specification 2.12), and the text of the comment that the event is about. */
interface Headline {
  template: string;
  templateData: Record<string, NamedUserObject | string>;
  body: string;
  /** The id of the comment whose text is the body. */
  bodyCommentId?: number | undefined;
}

/** A headline with a known acting user, and without one. */
type Template = [withActor: string, withoutActor: string];

/** Returns a headline in the active voice, `{actionUser} verb object`, and in the passive voice. */
const bothVoices = (participle: string, object: string, ending = ''): Template => [
  `{actionUser} ${participle} ${object}${ending}`,
  `${object.charAt(0).toUpperCase()}${object.slice(1)} was ${participle}${ending}`,
];

const TEMPLATES: Record<string, Template> = {
  'comment_annotation.add': bothVoices('added', 'a {kind}'),
  'comment.add': ['{actionUser} replied to a {kind}', 'There is a reply to a {kind}'],
  'comment.update': bothVoices('updated', 'a {kind}'),
  'comment.delete': bothVoices('deleted', 'a comment'),
  'comment.reaction_add': [
    '{actionUser} reacted to a comment with {icon}',
    'Someone reacted to a comment with {icon}',
  ],
  'comment.reaction_delete': [
    '{actionUser} removed the reaction {icon}',
    'The reaction {icon} was removed',
  ],
  'comment_annotation.delete': bothVoices('deleted', 'a {kind}'),
  'comment_annotation.status_change': bothVoices(
    'changed',
    'the status of a {kind}',
    ' to {status}',
  ),
  'comment_annotation.priority_change': bothVoices(
    'changed',
    'the priority of a {kind}',
    ' to {priority}',
  ),
  'comment_annotation.access_mode_change': bothVoices('changed', 'the visibility of a {kind}'),
  'comment_annotation.custom_list_change': [
    '{actionUser} changed the custom list of a {kind}',
    'The custom list of a {kind} was changed',
  ],
  'comment_annotation.approve': bothVoices('approved', 'a {kind}'),
  'comment_annotation.accept': bothVoices('accepted', 'a {kind}'),
  'comment_annotation.reject': bothVoices('rejected', 'a {kind}'),
  'comment_annotation.suggestion_accept': bothVoices('accepted', 'a suggestion'),
  'comment_annotation.suggestion_reject': bothVoices('rejected', 'a suggestion'),
};

/** Returns the template for the reason, if there is one, and otherwise the template for the event's type. */
function templateOf({ type, data: { assignedTo } }: AnnotationEvent, reason: Reason): Template {
  if (reason === 'mentioned') {
    return ['{actionUser} mentioned you in a {kind}', 'You were mentioned in a {kind}'];
  }
  const isAssigning =
    type === 'comment_annotation.assign' ||
    (type === 'comment_annotation.add' && reason === 'assigned');
  if (!isAssigning) return TEMPLATES[type] ?? bothVoices('changed', 'a {kind}');
  if (assignedTo)
    return bothVoices(
      'assigned',
      'a {kind}',
      reason === 'assigned' ? ' to you' : ' to {assignedTo}',
    );
  return ['{actionUser} unassigned a {kind}', 'A {kind} was unassigned'];
}

/** Returns the headline for an event about an annotation, worded for the reason why a user is notified. */
export function headlineOf(event: LoggedEvent, reason: Reason = 'subscribed'): Headline {
  if (!isAnnotationEvent(event)) return { template: event.type, templateData: {}, body: '' };
  const { data } = event;
  const [withActor, withoutActor] = templateOf(event, reason);
  const comment = shownComment(data);
  return {
    template: data.actionUser ? withActor : withoutActor,
    templateData: valuesOf(data),
    body: shortened(comment?.commentText ?? ''),
    bodyCommentId: comment?.commentId,
  };
}

/** Returns the values of all variables in the templates, as far as the event has them. */
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

/** Returns the last comment that the event is about, or if it is about none, the thread's first comment. */
const shownComment = (data: AnnotationEventData) =>
  publishedComments(data).at(-1) ?? data.comments.find(({ isDraft }) => !isDraft);

const MAX_LENGTH = 500;

/** Shortens a text to `MAX_LENGTH`. Cuts between words if possible, and never within a character. */
function shortened(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MAX_LENGTH) return trimmed;
  const cut = trimmed.slice(0, MAX_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.search(/\s\S*$/);
  return `${(space > MAX_LENGTH / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

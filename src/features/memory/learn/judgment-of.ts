import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { StoredJudgment } from '../judgments/insert-judgments.ts';
import { actorOf, type EventAnnotation, readAnnotation } from './event-annotation.ts';

/** The decision that each type of event stands for. */
const DECISIONS: Record<string, string> = {
  'comment_annotation.approve': 'approved',
  'comment_annotation.accept': 'approved',
  'comment_annotation.reject': 'rejected',
  'comment_annotation.suggestion_accept': 'approved',
  'comment_annotation.suggestion_reject': 'rejected',
};

/** The events that judgments may be made from. */
export const DECIDING_EVENTS = Object.keys(DECISIONS);

/**
 * Makes a judgment from an event that decides something. The judgment has the event's id, so that
 * it is stored once; its reviewer is the user who acted, and its item is the text of the comment or
 * the suggestion. Authors who decide about their own annotation make no judgment, and neither do
 * annotations that some readers of the document may not see, since they may read its judgments.
 */
export function judgmentOf(event: LoggedEvent): StoredJudgment | undefined {
  if (!DECIDING_EVENTS.includes(event.type)) return undefined;
  const annotation = readAnnotation(event.data);
  if (!annotation || isOwn(annotation) || !isOpen(annotation)) return undefined;
  const decision = decisionOf(event.type, annotation);
  const query = textOf(annotation);
  if (decision === undefined || query === '') return undefined;
  return {
    recordId: event.id,
    organizationId: event.organizationId,
    documentId: event.documentId,
    query,
    decision,
    reasoning: reasoningOf(annotation),
    reviewer: actorOf(annotation),
    judgeType: isByAgent(annotation) ? 'agent' : 'human',
    createdMs: event.createdAt.getTime(),
    recordedMs: event.createdAt.getTime(),
  };
}

function decisionOf(type: string, annotation: EventAnnotation): string | undefined {
  // One act may answer both the annotation and its suggestion; only the suggestion counts then.
  const isTwice =
    !type.includes('suggestion_') && isAnswered(annotation) && !wasAnswered(annotation);
  return isTwice ? undefined : DECISIONS[type];
}

const isOwn = (annotation: EventAnnotation): boolean =>
  annotation.from.userId === actorOf(annotation)?.userId;

/** Whether everybody who reads the document sees the annotation. */
const isOpen = ({ visibilityConfig, context }: EventAnnotation): boolean =>
  visibilityConfig.type === 'public' && context === undefined;

const isAnswer = (status: unknown) => /^(?:accepted|rejected)$/i.test(String(status));
const isAnswered = ({ suggestion }: EventAnnotation) => isAnswer(suggestion?.status);
const wasAnswered = ({ suggestion, previous }: EventAnnotation) =>
  previous?.suggestion?.status === suggestion?.status;

/** The item's text: the opening comment and, for a suggestion, what it would change. */
function textOf({ comments, suggestion }: EventAnnotation): string {
  const opening = comments.find(({ isDraft }) => !isDraft)?.commentText ?? '';
  const { status: _status, ...described } = suggestion ?? {};
  const texts = Object.entries(described)
    .filter(([key]) => !/id$/i.test(key))
    .map(([, value]) => value)
    .filter((value) => typeof value === 'string');
  return [opening, ...texts]
    .map((part) => part.trim())
    .filter(Boolean)
    .join('\n');
}

/** The reason for a decision is the last reply of the user who decided. */
function reasoningOf(annotation: EventAnnotation): string | undefined {
  const replies = annotation.comments.filter(({ isDraft }) => !isDraft).slice(1);
  const own = replies.findLast(({ from }) => from.userId === actorOf(annotation)?.userId);
  return own?.commentText.trim() || undefined;
}

/** Whether an agent decided: the actor acted as an agent, or wrote a comment as one. */
const isByAgent = (annotation: EventAnnotation): boolean =>
  Boolean(annotation.actionUser?.agent) ||
  annotation.comments.some(
    ({ agent, from }) => agent !== undefined && from.userId === actorOf(annotation)?.userId,
  );

import type { LoggedEvent } from '../../../platform/events/event-log.ts';
import type { StoredJudgment } from '../judgments/insert-judgments.ts';
import { type EventAnnotation, readAnnotation } from './event-annotation.ts';

/** What the events decide. */
const DECISIONS: Record<string, string> = {
  'comment_annotation.approve': 'approved',
  'comment_annotation.accept': 'approved',
  'comment_annotation.reject': 'rejected',
  'comment_annotation.suggestion_accept': 'approved',
  'comment_annotation.suggestion_reject': 'rejected',
};

/** The events that may tell a judgment. */
export const DECIDING_EVENTS = [...Object.keys(DECISIONS), 'comment_annotation.status_change'];

/**
 * The judgment that an event tells, if it does. Its id is that of the event, so that it is kept
 * once; its reviewer is who acted; its item is what the comment or the suggestion says. What authors
 * decide about what is their own is no judgment.
 */
export function judgmentOf(event: LoggedEvent): StoredJudgment | undefined {
  if (!DECIDING_EVENTS.includes(event.type)) return undefined;
  const annotation = readAnnotation(event.data);
  if (!annotation || isOwn(annotation)) return undefined;
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
    reviewer: annotation.actor ?? null,
    judgeType: isByAgent(annotation) ? 'agent' : 'human',
    createdMs: event.createdAt.getTime(),
    recordedMs: event.createdAt.getTime(),
  };
}

function decisionOf(type: string, annotation: EventAnnotation): string | undefined {
  const decision = Object.hasOwn(DECISIONS, type) ? DECISIONS[type] : undefined;
  if (decision !== undefined) {
    // One act that answers both the annotation and its suggestion is one judgment: the latter.
    const isTwice =
      !type.includes('suggestion_') && isAnswered(annotation) && !wasAnswered(annotation);
    return isTwice ? undefined : decision;
  }
  const isResolved =
    type === 'comment_annotation.status_change' &&
    annotation.type === 'suggestion' &&
    annotation.status.type === 'terminal' &&
    annotation.previous?.status.type !== 'terminal' &&
    !/^(?:approved|accepted|rejected)$/i.test(annotation.status.id);
  // Resolved without an answer: kept, and counted for neither.
  return isResolved && !isAnswered(annotation) ? 'resolved' : undefined;
}

const isOwn = ({ from, actor }: EventAnnotation): boolean => from.userId === actor?.userId;

const isAnswer = (status: unknown) => /^(?:accepted|rejected)$/i.test(String(status));
const isAnswered = ({ suggestion }: EventAnnotation) => isAnswer(suggestion?.status);
const wasAnswered = ({ suggestion, previous }: EventAnnotation) =>
  previous?.suggestion?.status === suggestion?.status;

/** Of a suggestion, what it would change and how belong to the item as much as the comment. */
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

/** The last reply of whoever decided says why. */
function reasoningOf({ comments, actor }: EventAnnotation): string | null {
  const replies = comments.filter(({ isDraft }) => !isDraft).slice(1);
  const own = replies.findLast(({ from }) => from.userId === actor?.userId);
  return own?.commentText.trim() || null;
}

/** Whoever writes as an agent decides as one. */
const isByAgent = ({ actor, comments }: EventAnnotation): boolean =>
  actor?.isAgent === true ||
  comments.some(({ agent, from }) => agent !== undefined && from.userId === actor?.userId);

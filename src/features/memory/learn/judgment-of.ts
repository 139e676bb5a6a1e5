import { z } from 'zod';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { StoredJudgment } from '../judgments/store-judgments.ts';

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

const suggestion = z.record(z.string(), z.unknown()).optional();

/** The data of an event about an annotation, as far as judgments are made from it. */
const eventAnnotation = z.object({
  from: z.object({ userId: z.string() }),
  visibilityConfig: z.object({ type: z.string() }),
  context: z.unknown().optional(),
  suggestion,
  comments: z.array(
    z.object({
      isDraft: z.boolean(),
      commentText: z.string(),
      from: z.object({ userId: z.string() }),
      agent: z.unknown().optional(),
    }),
  ),
  actionUser: z
    .object({ userId: z.string(), name: z.string().optional(), agent: z.unknown().optional() })
    .optional(),
  resolvedByUserId: z.string().optional(),
  previous: z.object({ suggestion }).optional(),
});

type EventAnnotation = z.infer<typeof eventAnnotation>;

/**
 * Makes a judgment from an event that decides something. The judgment has the event's id, so that
 * it is stored once; its reviewer is the user who acted, and its item is the text of the comment or
 * the suggestion. Authors who decide about their own annotation make no judgment, and neither do
 * annotations that some readers of the document may not see, since they may read its judgments.
 */
export function judgmentOf(event: LoggedEvent): StoredJudgment | undefined {
  if (!DECIDING_EVENTS.includes(event.type)) return undefined;
  // An old event may have been written before its data had this form.
  const annotation = eventAnnotation.safeParse(event.data).data;
  if (!annotation || isOwn(annotation) || !isOpen(annotation)) return undefined;
  const decision = decisionOf(event.type, annotation);
  const query = textOf(annotation);
  if (decision === undefined || query === '') return undefined;
  return {
    recordId: event.id,
    organizationId: event.organizationId ?? undefined,
    documentId: event.documentId ?? undefined,
    query,
    decision,
    reasoning: reasoningOf(annotation),
    reviewer: actorOf(annotation),
    judgeType: isByAgent(annotation) ? 'agent' : 'human',
    createdMs: event.createdAt.getTime(),
    recordedMs: event.createdAt.getTime(),
  };
}

/** The user who acted, if known. */
const actorOf = ({ actionUser, resolvedByUserId }: EventAnnotation) =>
  actionUser ?? (resolvedByUserId === undefined ? undefined : { userId: resolvedByUserId });

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

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

/** The types of events from which judgments may be made. */
export const DECIDING_EVENTS = Object.keys(DECISIONS);

/** The type of events that change who may see an annotation. */
export const VISIBILITY_EVENT = 'comment_annotation.access_mode_change';

const suggestion = z.record(z.string(), z.unknown()).optional();

/** The part of an event's annotation from which a judgment is made. */
const eventAnnotation = z.object({
  annotationId: z.string(),
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
 * it is stored once. Its reviewer is the user who acted. Its item is the text of the comment and, for a
 * suggestion, of the change that it suggests. Decisions of authors about their own annotation make no judgment. Neither do
 * decisions about annotations that are hidden from some readers of the document, since these readers
 * may read the document's judgments.
 */
export function judgmentFromEvent(event: LoggedEvent): StoredJudgment | undefined {
  const decision = DECISIONS[event.type];
  // The data of an old event may have another form, and then makes no judgment.
  const annotation = decision && eventAnnotation.safeParse(event.data).data;
  if (!annotation || !isVisibleToAll(annotation)) return undefined;
  if (alsoDecidesSuggestion(event.type, annotation)) return undefined;
  const { annotationId, actionUser, resolvedByUserId, comments } = annotation;
  const reviewer =
    actionUser ?? (resolvedByUserId === undefined ? undefined : { userId: resolvedByUserId });
  const isByReviewer = ({ from }: { from: { userId: string } }) => from.userId === reviewer?.userId;
  const query = itemTextOf(annotation);
  if (query === '' || isByReviewer(annotation)) return undefined;
  const replies = comments.filter(({ isDraft }) => !isDraft).slice(1);
  const isByAgent = comments.some((one) => one.agent !== undefined && isByReviewer(one));
  return {
    recordId: event.id,
    organizationId: event.organizationId ?? undefined,
    documentId: event.documentId ?? undefined,
    annotationId,
    query,
    decision,
    // The reviewer's last reply is the reason.
    reasoning: replies.findLast(isByReviewer)?.commentText.trim() || undefined,
    reviewer,
    judgeType: actionUser?.agent || isByAgent ? 'agent' : 'human',
    createdMs: event.createdAt.getTime(),
    recordedMs: event.createdAt.getTime(),
  };
}

/**
 * Returns the id of the annotation that the event has hidden from some readers of its document. These readers
 * may read the document's judgments, so the annotation's judgments must be deleted.
 */
export function annotationHiddenBy({ type, data }: LoggedEvent): string | undefined {
  const annotation = type === VISIBILITY_EVENT ? eventAnnotation.safeParse(data).data : undefined;
  return annotation && !isVisibleToAll(annotation) ? annotation.annotationId : undefined;
}

/** Whether all readers of the document see the annotation. A context hides it from users without its access values. */
const isVisibleToAll = ({ visibilityConfig, context }: EventAnnotation): boolean =>
  visibilityConfig.type === 'public' && context === undefined;

/** Whether the event also decides a suggestion. Then the suggestion's own event makes the judgment. */
const alsoDecidesSuggestion = (type: string, { suggestion, previous }: EventAnnotation): boolean =>
  !type.includes('suggestion_') &&
  /^(?:accepted|rejected)$/i.test(String(suggestion?.status)) &&
  previous?.suggestion?.status !== suggestion?.status;

/** The item's text: the opening comment and, for a suggestion, what it would change, without ids. */
function itemTextOf({ comments, suggestion }: EventAnnotation): string {
  const opening = comments.find(({ isDraft }) => !isDraft)?.commentText;
  const { status: _status, ...described } = suggestion ?? {};
  const texts = Object.entries(described).flatMap(([key, value]) =>
    /id$/i.test(key) ? [] : [value],
  );
  return [opening, ...texts]
    .map((part) => (typeof part === 'string' ? part.trim() : ''))
    .filter(Boolean)
    .join('\n');
}

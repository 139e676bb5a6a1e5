import type { StreamContext } from '../../../api/context.ts';
import { follow } from '../../../api/subscriptions/follow.ts';
import type { Follower, Slice } from '../../../platform/live-bus/follower.ts';
import type { LiveEvent } from '../../../platform/live-bus/topic.ts';
import { admitToDocument, factsFor, judgeDocument } from '../../access/live-access.ts';
import { presentEvent } from '../../events/get-events.ts';
import { ANNOTATION_EVENTS } from '../annotations/annotation-event.ts';
import { showAnnotation } from '../show-annotation.ts';
import { type Sight, sightOf } from '../visibility/live-visibility.ts';
import type { CommentChange, CommentChangesInput } from './schema.ts';
import { latestStates, type ShownState, stateIn } from './shown-state.ts';

/** What happens to the comments of a document, as far as the subscriber may see it. */
export const followComments = (
  ctx: StreamContext,
  { lastEventId, ...place }: CommentChangesInput,
) =>
  follow<CommentChange>(ctx, {
    topic: { ...place, tenantId: ctx.tenantId, types: ANNOTATION_EVENTS },
    userId: ctx.userId,
    lastEventId,
    admit: (follower) => admitToDocument(ctx, place, follower),
    judge: async (follower) => judgeDocument(ctx, await factsFor(ctx, follower), place, follower),
    present: (slice, follower) => presentChanges(ctx, place, slice, follower),
  });

async function presentChanges(
  ctx: StreamContext,
  place: { organizationId: string; documentId: string },
  slice: Slice,
  follower: Follower,
): Promise<Array<CommentChange | undefined>> {
  const { userId } = ctx;
  if (userId === undefined || slice.events.length === 0) return slice.events.map(toChange);
  const latest = await latestStates(ctx, slice);
  const facts = await factsFor(ctx, follower);
  const states = slice.events.flatMap((event) => [stateIn(event), previousOf(event) ?? []].flat());
  const sees = await sightOf(ctx, { ...place, userId, facts }, [...states, ...latest.values()]);
  return slice.events.map((event) => {
    const now = latest.get(stateIn(event).annotationId) ?? stateIn(event);
    const change = changeFor(sees, event, now);
    return change && ({ ...change, data: showAnnotation(ctx, change.data) } as CommentChange);
  });
}

/**
 * What one who may not see everything is told: only what can be seen now, and could be when it
 * happened. What was hidden by a change is told as deleted, so that nobody can tell the difference.
 */
function changeFor(sees: Sight, event: LiveEvent, now: ShownState): CommentChange | undefined {
  const previous = previousOf(event);
  if (sees(stateIn(event)) && sees(now)) {
    return toChange(previous && !sees(previous) ? withoutPrevious(event) : event);
  }
  const isHiding = event.type === 'comment_annotation.access_mode_change';
  return isHiding && previous && sees(previous) && !sees(now) ? asDeleted(event) : undefined;
}

/** The whole annotation as it was before, where an event tells that. */
function previousOf(event: LiveEvent): ShownState | undefined {
  const { previous } = event.data as { previous?: Partial<ShownState> };
  return previous?.visibilityConfig ? (previous as ShownState) : undefined;
}

const withoutPrevious = (event: LiveEvent): LiveEvent => {
  const { previous: _hidden, ...data } = event.data as { previous?: object };
  return { ...event, data };
};

const toChange = (event: LiveEvent): CommentChange =>
  event.type === 'comment_annotation.delete'
    ? asDeleted(event)
    : (presentEvent(event) as CommentChange);

const asDeleted = (event: LiveEvent): CommentChange => ({
  ...presentEvent(event),
  type: 'comment_annotation.delete',
  data: { annotationId: stateIn(event).annotationId },
});

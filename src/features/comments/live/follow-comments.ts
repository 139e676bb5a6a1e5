import type { KeyContext, StreamContext } from '../../../api/context.ts';
import { follow } from '../../../api/follow.ts';
import type { Slice } from '../../../platform/live-bus/subscribers.ts';
import type { LiveEvent } from '../../../platform/live-bus/topic.ts';
import { documentChecks, factsFor } from '../../access/live-access.ts';
import type { AccessFacts } from '../../access/load-access.ts';
import type { DocumentRef } from '../../access/places.ts';
import { presentEvent } from '../../events/get-events.ts';
import { ANNOTATION_EVENTS } from '../annotations/annotation-event.ts';
import { showAnnotation } from '../show-annotation.ts';
import { loadLiveVisibility } from '../visibility/load-visibility.ts';
import {
  accessKeyOf,
  accessOfEvent,
  accessOfPresented,
  type EventAccess,
  latestAccess,
} from '../visibility/presented-access.ts';
import type { CommentChange, CommentChangesInput } from './schema.ts';

/** Follows the changes to a document's annotations that the subscriber may see. */
export const followComments = (
  ctx: StreamContext,
  { lastEventId, ...place }: CommentChangesInput,
) =>
  follow<CommentChange>(ctx, {
    topic: { ...place, tenantId: ctx.tenantId, types: ANNOTATION_EVENTS },
    userId: ctx.userId,
    lastEventId,
    ...documentChecks(ctx, place),
    present: (slice, cursor) => presentChanges(ctx, place, slice, () => factsFor(ctx, cursor)),
  });

/**
 * Presents events about the annotations of a document as the caller may see them now; undefined stands
 * for an event that the caller may not see.
 */
export async function presentChanges(
  ctx: KeyContext,
  place: DocumentRef,
  slice: Pick<Slice, 'events' | 'isNewest'>,
  loadFacts: () => Promise<AccessFacts>,
): Promise<Array<CommentChange | undefined>> {
  const { userId } = ctx;
  if (userId === undefined || slice.events.length === 0) return slice.events.map(toChange);
  const latest = await latestAccess(ctx, slice);
  const facts = await loadFacts();
  const previous = slice.events.flatMap((event) => previousOf(event) ?? []);
  const annotations = [...slice.events.map(accessOfEvent), ...previous, ...latest.values()];
  const isVisible = await loadLiveVisibility(ctx, { ...place, userId, facts }, annotations);
  return slice.events.map((event) => {
    const current = latest.get(accessKeyOf(accessOfEvent(event))) ?? accessOfEvent(event);
    const change = changeFor(isVisible, event, current);
    return change && ({ ...change, data: showAnnotation(ctx, change.data) } as CommentChange);
  });
}

/**
 * Returns what the subscriber gets for an event: a change, if the subscriber may see the annotation now
 * and could see it when the change happened. A change that hides the annotation is presented as its
 * deletion, so that nobody can tell the two apart.
 */
function changeFor(
  isVisible: (annotation: EventAccess) => boolean,
  event: LiveEvent,
  current: EventAccess,
): CommentChange | undefined {
  const previous = previousOf(event);
  if (isVisible(accessOfEvent(event)) && isVisible(current)) {
    return toChange(previous && !isVisible(previous) ? withoutPrevious(event) : event);
  }
  const isAccessChange = event.type === 'comment_annotation.access_mode_change';
  return isAccessChange && previous && isVisible(previous) && !isVisible(current)
    ? asDeleted(event)
    : undefined;
}

/** Returns the access to the annotation before the change, if the event has the whole earlier annotation. */
function previousOf(event: LiveEvent): EventAccess | undefined {
  const { previous } = event.data as { previous?: { visibilityConfig?: object } };
  return previous?.visibilityConfig && accessOfPresented(previous);
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
  data: { annotationId: (event.data as { annotationId: string }).annotationId },
});

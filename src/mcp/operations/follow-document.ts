import { z } from 'zod';
import type { StreamContext } from '../../api/context.ts';
import { id } from '../../api/fields.ts';
import { follow } from '../../api/follow.ts';
import { subscriptionOperation } from '../../api/procedures.ts';
import { documentChecks, factsFor } from '../../features/access/live-access.ts';
import type { DocumentRef } from '../../features/access/places.ts';
import { ANNOTATION_EVENTS } from '../../features/comments/annotations/annotation-event.ts';
import { presentChanges } from '../../features/comments/live/follow-comments.ts';
import type { Slice, SubscriberCursor } from '../../platform/live-bus/subscribers.ts';
import { requireAgent } from '../agent-context.ts';

export const CONTENT_EVENT = 'crdt.update_data';

const FollowDocument = z.object({ organizationId: id, documentId: id });

/** A change to a thread; without an `annotationId`, a change to the content of the document. */
const item = z.object({ id: z.string(), annotationId: z.string().optional() });
export type FollowedItem = z.infer<typeof item>;

/** Follows the content of a document and those of its threads that the user may see. */
export const followDocument = subscriptionOperation({
  summary: 'Follow a document',
  description: 'Changes to the content and to the threads, for MCP resources.',
  item,
})
  .input(FollowDocument)
  .subscription(({ ctx, input: document }) => {
    requireAgent(ctx);
    return follow<FollowedItem>(ctx, {
      topic: { ...document, tenantId: ctx.tenantId, types: [...ANNOTATION_EVENTS, CONTENT_EVENT] },
      userId: ctx.userId,
      lastEventId: undefined,
      ...documentChecks(ctx, document),
      present: (slice, cursor) => present(ctx, document, slice, cursor),
    });
  });

async function present(
  ctx: StreamContext,
  document: DocumentRef,
  slice: Slice,
  cursor: SubscriberCursor,
): Promise<Array<FollowedItem | undefined>> {
  const events = slice.events.filter(({ type }) => type !== CONTENT_EVENT);
  const changes = await presentChanges(ctx, document, { ...slice, events }, () =>
    factsFor(ctx, cursor),
  );
  const changesByEvent = new Map(changes.map((change, index) => [events[index]?.id, change]));
  return slice.events.map(({ id: eventId, type }) => {
    if (type === CONTENT_EVENT) return { id: eventId };
    const change = changesByEvent.get(eventId);
    return change && { id: eventId, annotationId: change.data.annotationId };
  });
}

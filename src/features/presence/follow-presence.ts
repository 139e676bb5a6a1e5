import type { StreamContext } from '../../api/context.ts';
import { follow } from '../../api/follow.ts';
import { newId } from '../../platform/ids.ts';
import type { SubscriberCursor } from '../../platform/live-bus/subscribers.ts';
import type { LiveEvent } from '../../platform/live-bus/topic.ts';
import { documentChecks, factsFor } from '../access/live-access.ts';
import { presentEvent } from '../events/get-events.ts';
import { readPresence } from './read-presence.ts';
import type { PresenceChange, PresenceChangesInput, PresenceUpdate } from './schema.ts';
import { createPresencePresenter } from './show-presence.ts';

/**
 * Follows the presence in a document: first the current state, then each change. A client that reconnects
 * gets the state again, so it needs no position to continue from.
 */
export const followPresence = (ctx: StreamContext, place: PresenceChangesInput) =>
  follow<PresenceChange>(ctx, {
    topic: { ...place, tenantId: ctx.tenantId, types: ['presence.update'] },
    userId: ctx.userId,
    lastEventId: undefined,
    // Presence needs only ids, so an API key may follow a document that was never added.
    ...(ctx.userId === undefined ? NO_CHECKS : documentChecks(ctx, place)),
    initialItem: () => presentState(ctx, place),
    present: ({ events }, cursor) => presentUpdates(ctx, place, events, cursor),
  });

const NO_CHECKS = { checkAccess: async () => {}, recheckAccess: async () => {} };

async function presentUpdates(
  ctx: StreamContext,
  place: PresenceChangesInput,
  events: LiveEvent[],
  cursor: SubscriberCursor,
): Promise<PresenceChange[]> {
  const updates = events.map(({ data }) => data as PresenceUpdate);
  const users = updates.flatMap(({ previous, ...user }) => [user, ...(previous ? [previous] : [])]);
  const facts = ctx.userId === undefined ? undefined : await factsFor(ctx, cursor);
  const show = await createPresencePresenter(
    ctx,
    { ...place, tenantId: ctx.tenantId },
    users,
    facts,
  );
  return events.map((event) => {
    const { previous, ...user } = event.data as PresenceUpdate;
    const data: PresenceUpdate = { ...show(user), ...(previous && { previous: show(previous) }) };
    return { ...presentEvent(event), type: 'presence.update', data };
  });
}

async function presentState(ctx: StreamContext, place: PresenceChangesInput) {
  const { db, clock, tenantId } = ctx;
  const now = clock.now();
  const document = { ...place, tenantId };
  const users = await readPresence(db, document, now);
  const show = await createPresencePresenter(ctx, document, users);
  return {
    id: newId(),
    type: 'presence.state' as const,
    timestamp: new Date(now).toISOString(),
    metadata: { apiKey: tenantId, ...place },
    data: users.map(show),
  };
}

import type { StreamContext } from '../../../api/context.ts';
import { follow } from '../../../api/subscriptions/follow.ts';
import { newId } from '../../../platform/ids.ts';
import { presentEvent } from '../../events/get-events.ts';
import { admitToDocument, factsFor, judgeDocument } from '../../permissions/live-access.ts';
import { readPresence } from '../read-presence.ts';
import type { PresenceChange, PresenceChangesInput } from './schema.ts';

/**
 * Who is present in a document: how it is at the beginning, then what changes. Whoever connects
 * again begins with the state, so there is nothing to go on after.
 */
export const followPresence = (ctx: StreamContext, place: PresenceChangesInput) =>
  follow<PresenceChange>(ctx, {
    topic: { ...place, tenantId: ctx.tenantId, types: ['presence.update'] },
    userId: ctx.userId,
    lastEventId: undefined,
    // Presence is kept by ids: to those with the API key the document need not exist.
    admit: async (follower) => {
      if (ctx.userId !== undefined) await admitToDocument(ctx, place, follower);
    },
    judge: async (follower) => {
      if (ctx.userId === undefined) return;
      judgeDocument(ctx, await factsFor(ctx, follower), place, follower);
    },
    first: () => presentState(ctx, place),
    present: async ({ events }) => events.map((event) => presentEvent(event) as PresenceChange),
  });

async function presentState(
  { db, clock, tenantId }: StreamContext,
  place: PresenceChangesInput,
): Promise<PresenceChange> {
  const now = clock.now();
  return {
    id: newId(),
    type: 'presence.state',
    timestamp: new Date(now).toISOString(),
    metadata: { apiKey: tenantId, ...place },
    data: await readPresence(db, { ...place, tenantId }, now),
  };
}

import { type TrackedEnvelope, tracked } from '@trpc/server';
import { z } from 'zod';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { endOfLog, positionOf } from '../../platform/live-bus/read-log.ts';
import type { Slice, SubscriberCursor } from '../../platform/live-bus/subscriber-cursor.ts';
import type { Topic } from '../../platform/live-bus/topic.ts';
import type { StreamContext } from '../context.ts';

/** What was made of events for a subscriber is made anew after this: it may not hold any more. */
const FRESH_MS = 500;

export const lastEventId = z
  .string()
  .regex(/^[0-9A-Za-z]{20}$/, 'must be the id of an event')
  .optional()
  .meta({
    description:
      'Goes on after this event. Without it, with what happens from now on. Clients of tRPC send it by themselves when they connect again.',
  });

interface Item {
  id: string;
}

/** How a feature follows a topic for one subscriber. */
export interface Following<Told extends Item> {
  topic: Topic;
  /** Whose access decides; undefined: an API key sees everything. */
  userId: string | undefined;
  lastEventId: string | undefined;
  /** Lets the subscriber in. @throws what it is told when it may not follow */
  admit(cursor: SubscriberCursor): Promise<void>;
  /** Asked again whenever that may have changed. @throws what the subscription ends with */
  judge(cursor: SubscriberCursor): Promise<void>;
  /** What stands at the beginning, whenever somebody connects. */
  first?(): Promise<Told>;
  /** What the subscriber is told of each event, at this moment; undefined: nothing. */
  present(slice: Slice, cursor: SubscriberCursor): Promise<Array<Told | undefined>>;
}

/**
 * Follows the log of events, each item tracked by its event's id. Nothing is missed or told twice:
 * a subscriber's only state is its position in the log, and what waits for it waits there.
 */
export async function follow<Told extends Item>(
  ctx: StreamContext,
  following: Following<Told>,
): Promise<AsyncIterable<TrackedEnvelope<Told>>> {
  // Before access is looked up, so that a change of it in between is noticed.
  const cursor = ctx.live.join(following.topic, following.userId, ctx.ending);
  await following.admit(cursor);
  const { position, eventId } = await startOf(ctx, following.lastEventId);
  cursor.position = position;
  if (eventId !== undefined) ctx.startedAfter?.(eventId);
  return items(ctx, following, cursor);
}

async function* items<Told extends Item>(
  ctx: StreamContext,
  following: Following<Told>,
  cursor: SubscriberCursor,
): AsyncGenerator<TrackedEnvelope<Told>, void> {
  const first = await following.first?.();
  if (first) yield tracked(first.id, first);
  for (;;) {
    const slice = await cursor.next(ctx.ending);
    if (!slice) throw gone(following);
    await following.judge(cursor);
    const told = await following.present(slice, cursor);
    const isFresh = freshness(cursor, slice);
    for (const [at, { position }] of slice.events.entries()) {
      if (!isFresh()) break;
      cursor.position = position;
      const item = told[at];
      if (item) yield tracked(item.id, item);
    }
  }
}

/** A client that reads slowly gets what it may see when it reads it, not when it could have. */
function freshness(cursor: SubscriberCursor, slice: Slice): () => boolean {
  const madeAt = performance.now();
  return () => performance.now() - madeAt < FRESH_MS && !cursor.isOvertaken(slice);
}

async function startOf(ctx: StreamContext, lastEventId: string | undefined) {
  const { db, events, tenantId } = ctx;
  if (lastEventId === undefined) {
    // What was committed before is not news, also when it has not reached the log yet.
    await events.sequence(tenantId, db);
    return endOfLog(db, tenantId);
  }
  const start = await positionOf(db, tenantId, lastEventId);
  if (start) return start;
  const message = 'is no event of the log, or of its past that is no longer kept';
  throw new AppError('OUT_OF_RANGE', `lastEventId: ${message}. Read anew, and follow from there.`, {
    details: { issues: [{ path: 'lastEventId', message }] },
  });
}

/** Users are told the same as of any document that they may not see. */
const gone = ({ userId }: Pick<Following<Item>, 'userId'>): AppError =>
  userId === undefined
    ? invalidArgument('The document was deleted.', { reason: 'document_not_found' })
    : new AppError('PERMISSION_DENIED', 'You have no access to this document.');

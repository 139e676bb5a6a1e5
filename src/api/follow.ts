import { type TrackedEnvelope, tracked } from '@trpc/server';
import { z } from 'zod';
import { AppError, invalidArgument } from '../platform/errors.ts';
import {
  endOfLog,
  type LogPosition,
  positionOf,
  wasDeleted,
} from '../platform/live-bus/read-log.ts';
import type { Slice, SubscriberCursor } from '../platform/live-bus/subscribers.ts';
import type { Topic } from '../platform/live-bus/topic.ts';
import type { StreamContext } from './context.ts';

/**
 * Items that were presented longer ago than this are presented again, since access may have
 * changed.
 */
const FRESH_MS = 500;

export const lastEventId = z
  .string()
  .regex(/^[0-9A-Za-z]{20}$/, 'must be the id of an event')
  .optional()
  .meta({
    description:
      'Resumes after this event; without it, the subscription begins with new events. tRPC clients send it automatically when they reconnect.',
  });

interface Item {
  id: string;
}

/** A subscription of one client to a topic of the event log. */
export interface TopicSubscription<Output extends Item> {
  topic: Topic;
  /** The user whose access decides; undefined for an API key, which has access to everything. */
  userId: string | undefined;
  lastEventId: string | undefined;
  /**
   * Checks access at the start.
   * @throws the failure for a caller without access
   */
  checkAccess(cursor: SubscriberCursor): Promise<void>;
  /**
   * Checks access again after it may have changed.
   * @throws the failure that ends the subscription
   */
  recheckAccess(cursor: SubscriberCursor): Promise<void>;
  /** Returns an item that is sent first on every connection. */
  initialItem?(): Promise<Output>;
  /** Returns the item of each event, as the subscriber may see it now; undefined if it may not. */
  present(slice: Slice, cursor: SubscriberCursor): Promise<Array<Output | undefined>>;
}

/**
 * Streams items for new events, each tracked by the id of its event. Every event is delivered once:
 * a subscriber's only state is its position in the log, and pending events stay in the log.
 */
export async function follow<Output extends Item>(
  ctx: StreamContext,
  subscription: TopicSubscription<Output>,
): Promise<AsyncIterable<TrackedEnvelope<Output>>> {
  // The subscription starts before access is read, so that a change in between is noticed.
  const cursor = ctx.live.subscribe(subscription.topic, subscription.userId, ctx.ending);
  await subscription.checkAccess(cursor);
  // First give every committed event its position in the log, even events that nobody has received.
  await ctx.events.sequence(ctx.tenantId, ctx.db);
  const logEnd = await endOfLog(ctx.db, ctx.tenantId);
  const { position, eventId } = await startOf(ctx, subscription, logEnd);
  cursor.position = position;
  cursor.logEndAtStart = logEnd.position;
  if (eventId !== undefined) ctx.sendStartPosition?.(eventId);
  return streamItems(ctx, subscription, cursor);
}

async function* streamItems<Output extends Item>(
  ctx: StreamContext,
  subscription: TopicSubscription<Output>,
  cursor: SubscriberCursor,
): AsyncGenerator<TrackedEnvelope<Output>, void> {
  const initialItem = await subscription.initialItem?.();
  if (initialItem) yield tracked(initialItem.id, initialItem);
  for (;;) {
    const slice = await cursor.next(ctx.ending);
    if (!slice) throw documentDeleted(subscription);
    await subscription.recheckAccess(cursor);
    const outputs = await subscription.present(slice, cursor);
    const isFresh = freshnessCheck(cursor, slice);
    for (const [index, { position }] of slice.events.entries()) {
      if (!isFresh()) break;
      cursor.position = position;
      const item = outputs[index];
      if (item) yield tracked(item.id, item);
    }
  }
}

/**
 * Returns a function that checks whether the items of a slice may still be sent. A slow client receives
 * what it may see when it reads the items, not what it could see when the events occurred.
 */
function freshnessCheck(cursor: SubscriberCursor, slice: Slice): () => boolean {
  const presentedAt = performance.now();
  return () => performance.now() - presentedAt < FRESH_MS && !cursor.isOvertaken(slice);
}

async function startOf(
  { db, tenantId }: StreamContext,
  { topic, lastEventId }: Pick<TopicSubscription<Item>, 'topic' | 'lastEventId'>,
  logEnd: LogPosition,
): Promise<LogPosition> {
  if (lastEventId === undefined) return logEnd;
  const start = await positionOf(db, tenantId, lastEventId);
  const between = { after: start?.position ?? 0n, upTo: logEnd.position };
  if (start && !(await wasDeleted(db, topic, between))) return start;
  const message = 'this event is no longer stored, or is older than the document';
  throw new AppError(
    'OUT_OF_RANGE',
    `lastEventId: ${message}. Read the current state, and subscribe without lastEventId.`,
    { details: { issues: [{ path: 'lastEventId', message }] } },
  );
}

/** Returns the failure for a deleted document. Users get the same as if they had no access to the document. */
const documentDeleted = ({ userId }: Pick<TopicSubscription<Item>, 'userId'>): AppError =>
  userId === undefined
    ? invalidArgument('The document was deleted.', { reason: 'document_not_found' })
    : new AppError('PERMISSION_DENIED', 'You do not have access to this document.');

import type { Services } from '../../../api/context.ts';
import { type EndpointQueue, queueKey } from './endpoint-queue.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import { type ReleasedQueue, releaseQueues } from './queue-store.ts';

type Context = Pick<Services, 'db' | 'clock'>;

/**
 * Releases queues that are exhausted or must yield.
 *
 * @returns whether some of them may have deliveries due
 */
export async function releaseIdle(
  ctx: Context,
  worker: string,
  queues: EndpointQueues,
): Promise<boolean> {
  const isDone = (queue: EndpointQueue) => queue.isExhausted && !queues.mayLinger(queue);
  const idle = queues
    .all()
    .filter((queue) => queue.isIdle && (isDone(queue) || queues.mustYield(queue)));
  if (idle.length === 0) return false;
  // A queue that yields is due again at once, so its version does not matter.
  const states = idle.map((queue) => stateOf(queue, queue.isExhausted ? queue.version : null));
  const keys = await releaseQueues(ctx.db, worker, states, new Date(ctx.clock.now()));
  const releasedKeys = new Set(keys.map(queueKey));
  for (const queue of idle) {
    if (releasedKeys.has(queue.key)) queues.delete(queue);
    // The queue changed since it was loaded, so the worker keeps it.
    else queue.markChanged();
  }
  // A queue that changed since it was loaded is no longer exhausted, by `markChanged` above.
  return idle.some((queue) => !queue.isExhausted);
}

/** Releases all queues when a worker stops, storing what is left of each endpoint's rate limit. */
export async function releaseAll(
  ctx: Context,
  worker: string,
  queues: EndpointQueues,
): Promise<void> {
  const states = queues.all().map((queue) => stateOf(queue, null));
  await releaseQueues(ctx.db, worker, states, new Date(ctx.clock.now()));
}

const stateOf = (queue: EndpointQueue, version: string | null): ReleasedQueue => ({
  tenantId: queue.tenantId,
  endpointId: queue.endpointId,
  version,
  // An endpoint that never had a limit has none.
  tokens: Number.isFinite(queue.bucket.state.tokens) ? queue.bucket.state.tokens : null,
  tokensAt: new Date(queue.bucket.state.at),
  isOff: !queue.destination,
});

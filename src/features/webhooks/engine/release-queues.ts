import type { Services } from '../../../api/context.ts';
import { type EndpointQueue, queueKey } from './endpoint-queue.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import { type ReleasedQueue, releaseQueues } from './queue-store.ts';

type Context = Pick<Services, 'db' | 'clock'>;

/**
 * Lets go of queues that have nothing more to do, or must give way.
 *
 * @returns whether something came meanwhile
 */
export async function releaseIdle(
  ctx: Context,
  worker: string,
  queues: EndpointQueues,
): Promise<boolean> {
  const idle = queues
    .all()
    .filter((queue) => queue.isIdle && (queue.isExhausted || queues.mustYield(queue)));
  if (idle.length === 0) return false;
  // One that gives way comes back anyway, so that it need not know what came meanwhile.
  const states = idle.map((queue) => stateOf(queue, queue.isExhausted ? queue.version : null));
  const keys = await releaseQueues(ctx.db, worker, states, new Date(ctx.clock.now()));
  const releasedKeys = new Set(keys.map(queueKey));
  for (const queue of idle) {
    if (releasedKeys.has(queue.key)) queues.delete(queue);
    // Something came in between: it is looked at again.
    else queue.markChanged();
  }
  // Also what came just after the queue was let go.
  return idle.some((queue) => !queue.isExhausted);
}

/** For a worker that stops: whoever goes on keeps to what is left of each endpoint's rate. */
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
  tokens: queue.bucket.state.tokens,
  tokensAt: queue.bucket.state.at,
  isOff: !queue.destination,
});

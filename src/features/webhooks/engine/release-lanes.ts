import type { Services } from '../../../api/context.ts';
import { type Lane, laneKey } from './lane.ts';
import type { Lanes } from './lanes.ts';
import { type ReleasedQueue, releaseQueues } from './queue-store.ts';

type Context = Pick<Services, 'db' | 'clock'>;

/**
 * Lets go of lanes that have nothing more to do, or must give way.
 *
 * @returns whether something came meanwhile
 */
export async function releaseIdle(ctx: Context, worker: string, lanes: Lanes): Promise<boolean> {
  const idle = lanes
    .all()
    .filter((lane) => lane.isIdle && (lane.isExhausted || lanes.mustYield(lane)));
  if (idle.length === 0) return false;
  // One that gives way comes back anyway, so that it need not know what came meanwhile.
  const queues = idle.map((lane) => released(lane, lane.isExhausted ? lane.version : null));
  const keys = await releaseQueues(ctx.db, worker, queues, new Date(ctx.clock.now()));
  const gone = new Set(keys.map(laneKey));
  for (const lane of idle) {
    if (gone.has(lane.key)) lanes.delete(lane);
    // Something came in between: it is looked at again.
    else lane.tell();
  }
  // Also what came just after the queue was let go.
  return idle.some((lane) => !lane.isExhausted);
}

/** For a worker that stops: whoever goes on keeps to what is left of each endpoint's rate. */
export async function releaseAll(ctx: Context, worker: string, lanes: Lanes): Promise<void> {
  const queues = lanes.all().map((lane) => released(lane, null));
  await releaseQueues(ctx.db, worker, queues, new Date(ctx.clock.now()));
}

const released = (lane: Lane, version: string | null): ReleasedQueue => ({
  tenantId: lane.tenantId,
  endpointId: lane.endpointId,
  version,
  tokens: lane.bucket.state.tokens,
  tokensAt: lane.bucket.state.at,
  isOff: !lane.destination,
});

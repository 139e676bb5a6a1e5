import type { Services } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { bodiesOf } from './bodies.ts';
import { type Destination, destinationOf, type SettingsRow } from './destination.ts';
import { type Lane, laneKey } from './lane.ts';
import type { Lanes } from './lanes.ts';
import { type DueDelivery, type LoadedQueue, loadDue } from './load-due.ts';
import { readVersions } from './queue-store.ts';

/** Lanes that are filled at a time, so that bodies do not take too much memory at once. */
const LANES_AT_A_TIME = 100;
/** Now and then a lane goes back to the first delivery, as some may have been put before its place. */
const REWIND_MS = 1_000;

/**
 * Finds the lanes for which there is more than when they were filled last: something came, or the
 * time of a retry may have. Those that have nothing under way are looked at anyway.
 */
export async function noticeChanges(db: Queryable, worker: string, lanes: Lanes): Promise<void> {
  const exhausted = lanes.all().filter((lane) => lane.isExhausted);
  if (exhausted.length === 0) return;
  const versions = new Map(
    (await readVersions(db, worker)).map((row) => [laneKey(row), row.version]),
  );
  for (const lane of exhausted) {
    const isOld = performance.now() - lane.rewoundAt > REWIND_MS;
    if (isOld || versions.get(lane.key) !== lane.version) lane.tell();
  }
}

/** Loads what is due for the lanes that are about to run dry: one statement for all of them. */
export async function fillLanes(ctx: Services, worker: string, lanes: Lanes): Promise<void> {
  const hungry = lanes
    .all()
    .filter((lane) => !lane.isExhausted && lane.appetite > 0 && !lanes.mustYield(lane));
  for (let from = 0; from < hungry.length; from += LANES_AT_A_TIME) {
    await fill(ctx, worker, lanes, hungry.slice(from, from + LANES_AT_A_TIME));
  }
}

async function fill(ctx: Services, worker: string, lanes: Lanes, hungry: Lane[]): Promise<void> {
  for (const lane of hungry) lane.beginLoad();
  const orders = hungry.map((lane) => {
    if (performance.now() - lane.rewoundAt > REWIND_MS) lane.rewind();
    // What is held already may come again, where the lane was rewound.
    const limit = lane.appetite + (lane.after ? 0 : lane.heldCount);
    return { tenantId: lane.tenantId, endpointId: lane.endpointId, after: lane.after, limit };
  });
  const queues = await loadDue(ctx.db, worker, orders, new Date(ctx.clock.now()));
  const open = hungry.map((lane, index) => takeSettings(ctx, lanes, lane, queues[index]));
  const bodies = await bodiesOf(ctx, open.flat());
  for (const [index, lane] of hungry.entries()) {
    const loaded = open[index] ?? [];
    const last = loaded.at(-1);
    if (last) lane.after = { dueAt: last.dueAt, sequence: last.sequence };
    const isAll = loaded.length < (orders[index]?.limit ?? 0);
    lane.endLoad(
      loaded.map((delivery) => readyFrom(delivery, bodies.get(delivery))),
      isAll,
    );
  }
}

/** @returns what is to be sent: nothing while the endpoint is off */
function takeSettings(
  ctx: Services,
  lanes: Lanes,
  lane: Lane,
  queue: LoadedQueue | undefined,
): DueDelivery[] {
  if (queue) {
    lane.version = queue.version;
    lane.destination = queue.settings ? readDestination(ctx, queue.settings) : undefined;
    if (lane.destination) return queue.due;
  }
  lane.dropWaiting();
  // Another worker has it, since this one was taken for dead.
  if (!queue) lanes.delete(lane);
  return [];
}

/** An endpoint whose secret cannot be opened waits, and the others do not wait for it. */
function readDestination(ctx: Services, row: SettingsRow): Destination | undefined {
  const { tenantId, endpointId } = row;
  try {
    return destinationOf(ctx, row);
  } catch (error) {
    ctx.log.warn({ tenantId, endpointId, err: error }, 'An endpoint cannot be delivered to.');
    return undefined;
  }
}

const readyFrom = (due: DueDelivery, body: string | undefined) => ({
  tenantId: due.tenantId,
  endpointId: due.endpointId,
  createdAt: due.createdAt,
  sequence: due.sequence,
  dueAt: due.dueAt,
  failures: due.failures,
  eventId: due.eventId,
  documentKey:
    due.documentId === null ? undefined : JSON.stringify([due.organizationId, due.documentId]),
  body: body ?? null,
});

import type { Services } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { bodiesOf } from './bodies.ts';
import { type Destination, destinationOf, type SettingsRow } from './destination.ts';
import { type Lane, laneKey } from './lane.ts';
import type { Lanes } from './lanes.ts';
import { type DueDelivery, loadDue } from './load-due.ts';
import { readQueues, readVersions } from './queue-store.ts';

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
    if (isOld || versions.get(lane.key) !== lane.version) lane.isExhausted = false;
  }
}

/** Loads what is due for the lanes that are about to run dry: two statements for all of them. */
export async function fillLanes(ctx: Services, worker: string, lanes: Lanes): Promise<void> {
  const hungry = lanes
    .all()
    .filter((lane) => !lane.isExhausted && lane.appetite > 0 && !lanes.mustYield(lane));
  for (let from = 0; from < hungry.length; from += LANES_AT_A_TIME) {
    const some = hungry.slice(from, from + LANES_AT_A_TIME);
    const open = await readSettings(ctx, worker, lanes, some);
    if (open.length > 0) await load(ctx, open);
  }
}

/** @returns the lanes to which something is to be sent */
async function readSettings(
  ctx: Services,
  worker: string,
  lanes: Lanes,
  hungry: Lane[],
): Promise<Lane[]> {
  const rows = await readQueues(ctx.db, worker, hungry);
  const byKey = new Map(rows.map((row) => [laneKey(row), row]));
  return hungry.filter((lane) => {
    const row = byKey.get(lane.key);
    // Another worker has it, since this one was taken for dead.
    if (!row) {
      lane.dropWaiting();
      lanes.delete(lane);
      return false;
    }
    lane.version = row.version;
    lane.destination = readDestination(ctx, row);
    if (lane.destination) return true;
    lane.dropWaiting();
    lane.isExhausted = true;
    return false;
  });
}

/** An endpoint whose secret cannot be opened waits, and the others do not wait for it. */
function readDestination(ctx: Services, row: SettingsRow): Destination | undefined {
  try {
    return destinationOf(ctx, row);
  } catch (error) {
    const { tenantId, endpointId } = row;
    ctx.log.warn({ tenantId, endpointId, err: error }, 'An endpoint cannot be delivered to.');
    return undefined;
  }
}

async function load(ctx: Services, lanes: Lane[]): Promise<void> {
  for (const lane of lanes) lane.beginLoad();
  const orders = lanes.map((lane) => {
    if (performance.now() - lane.rewoundAt > REWIND_MS) lane.rewind();
    // What is held already may come again, where the lane was rewound.
    const limit = lane.appetite + (lane.after ? 0 : lane.heldCount);
    return { tenantId: lane.tenantId, endpointId: lane.endpointId, after: lane.after, limit };
  });
  const due = await loadDue(ctx.db, orders, new Date(ctx.clock.now()));
  const byLane = Map.groupBy(due, laneKey);
  const bodies = await bodiesOf(ctx, due);
  for (const [index, lane] of lanes.entries()) {
    const loaded = byLane.get(lane.key) ?? [];
    const last = loaded.at(-1);
    lane.isExhausted = loaded.length < (orders[index]?.limit ?? 0);
    if (last) lane.after = { dueAt: last.dueAt, sequence: last.sequence };
    lane.endLoad(loaded.map((delivery) => readyFrom(delivery, bodies.get(delivery))));
  }
}

const readyFrom = (due: DueDelivery, body: string | undefined) => ({
  tenantId: due.tenantId,
  endpointId: due.endpointId,
  createdAt: due.createdAt,
  sequence: due.sequence,
  failures: due.failures,
  eventId: due.eventId,
  documentKey:
    due.documentId === null ? undefined : JSON.stringify([due.organizationId, due.documentId]),
  body: body ?? null,
});

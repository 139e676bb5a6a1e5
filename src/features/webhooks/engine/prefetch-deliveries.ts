import type { Services } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { bodiesOf } from './bodies.ts';
import { type Destination, destinationOf, type SettingsRow } from './destination.ts';
import { type EndpointQueue, queueKey } from './endpoint-queue.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import { type DueDelivery, type LoadedQueue, loadDue } from './load-due.ts';
import { readVersions } from './queue-store.ts';

/** EndpointQueues that are filled at a time, so that bodies do not take too much memory at once. */
const QUEUES_PER_LOAD = 100;
/** Now and then a queue goes back to the first delivery, as some may have been put before its place. */
const REWIND_MS = 1_000;

/**
 * Finds the queues for which there is more than when they were filled last: something came, or the
 * time of a retry may have. Those that have nothing under way are looked at anyway.
 */
export async function noticeNewDeliveries(
  db: Queryable,
  worker: string,
  queues: EndpointQueues,
): Promise<void> {
  const exhausted = queues.all().filter((queue) => queue.isExhausted);
  if (exhausted.length === 0) return;
  const versions = new Map(
    (await readVersions(db, worker)).map((row) => [queueKey(row), row.version]),
  );
  for (const queue of exhausted) {
    const isOld = performance.now() - queue.rewoundAt > REWIND_MS;
    if (isOld || versions.get(queue.key) !== queue.version) queue.markChanged();
  }
}

/** Loads what is due for the queues that are about to run dry: one statement for all of them. */
export async function prefetchDeliveries(
  ctx: Services,
  worker: string,
  queues: EndpointQueues,
): Promise<void> {
  const lowQueues = queues
    .all()
    .filter((queue) => !queue.isExhausted && queue.prefetchCount > 0 && !queues.mustYield(queue));
  for (let from = 0; from < lowQueues.length; from += QUEUES_PER_LOAD) {
    await prefetch(ctx, worker, queues, lowQueues.slice(from, from + QUEUES_PER_LOAD));
  }
}

async function prefetch(
  ctx: Services,
  worker: string,
  queues: EndpointQueues,
  lowQueues: EndpointQueue[],
): Promise<void> {
  for (const queue of lowQueues) queue.beginLoad();
  const orders = lowQueues.map((queue) => {
    if (performance.now() - queue.rewoundAt > REWIND_MS) queue.rewind();
    // What is held already may come again, where the queue was rewound.
    const limit = queue.prefetchCount + (queue.after ? 0 : queue.heldCount);
    return { tenantId: queue.tenantId, endpointId: queue.endpointId, after: queue.after, limit };
  });
  const loadedQueues = await loadDue(ctx.db, worker, orders, new Date(ctx.clock.now()));
  const open = lowQueues.map((queue, index) =>
    takeSettings(ctx, queues, queue, loadedQueues[index]),
  );
  const bodies = await bodiesOf(ctx, open.flat());
  for (const [index, queue] of lowQueues.entries()) {
    const loaded = open[index] ?? [];
    const last = loaded.at(-1);
    if (last) queue.after = { dueAt: last.dueAt, sequence: last.sequence };
    const isAll = loaded.length < (orders[index]?.limit ?? 0);
    queue.endLoad(
      loaded.map((delivery) => readyFrom(delivery, bodies.get(delivery))),
      isAll,
    );
  }
}

/** @returns what is to be sent: nothing while the endpoint is off */
function takeSettings(
  ctx: Services,
  queues: EndpointQueues,
  queue: EndpointQueue,
  loaded: LoadedQueue | undefined,
): DueDelivery[] {
  if (loaded) {
    queue.version = loaded.version;
    queue.destination = loaded.settings ? readDestination(ctx, loaded.settings) : undefined;
    if (queue.destination) return loaded.due;
  }
  queue.dropWaiting();
  // Another worker has it, since this one was taken for dead.
  if (!loaded) queues.delete(queue);
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

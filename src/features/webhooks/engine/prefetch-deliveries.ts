import type { Services } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { bodiesOf } from './bodies.ts';
import { type Destination, destinationOf, type SettingsRow } from './destination.ts';
import { type EndpointQueue, queueKey } from './endpoint-queue.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import { type DueDelivery, type LoadedQueue, loadDue } from './load-due.ts';
import { readVersions } from './queue-store.ts';

/** How many queues one statement loads, so that the bodies do not take too much memory at once. */
const QUEUES_PER_LOAD = 100;
/** How often loading restarts at a queue's first delivery: earlier ones may have been inserted. */
const REWIND_MS = 1_000;

/**
 * Marks the exhausted queues that may have deliveries again: those whose version changed, and those
 * that were not read from the start for a while, since a retry may have become due.
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

/** Loads due deliveries for all queues that are running low, with one statement for many queues. */
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
    // A rewound queue loads again what is still in memory, so the limit allows for it.
    const limit = queue.prefetchCount + (queue.after ? 0 : queue.heldCount);
    const { tenantId, endpointId, after, version, afterIfChanged } = queue;
    return { tenantId, endpointId, after, version, afterIfChanged, limit };
  });
  const loadedQueues = await loadDue(ctx.db, worker, orders, new Date(ctx.clock.now()));
  const open = lowQueues.map((queue, index) =>
    takeSettings(ctx, queues, queue, loadedQueues[index]),
  );
  const bodies = await bodiesOf(ctx, open.flat());
  for (const [index, queue] of lowQueues.entries()) {
    const loaded = open[index] ?? [];
    const isAll = loaded.length < (orders[index]?.limit ?? 0);
    queue.endLoad(
      loaded.map((delivery) => readyFrom(delivery, bodies.get(delivery))),
      isAll,
    );
  }
}

/** @returns the deliveries to send, which are none while the endpoint is disabled */
function takeSettings(
  ctx: Services,
  queues: EndpointQueues,
  queue: EndpointQueue,
  loaded: LoadedQueue | undefined,
): DueDelivery[] {
  if (loaded) {
    queue.version = loaded.version;
    if (queue.settings !== loaded.settings) {
      queue.settings = loaded.settings;
      queue.destination = loaded.settings ? readDestination(ctx, loaded.settings) : undefined;
    }
    if (queue.destination) {
      queue.advance(loaded.due, loaded.lastDueAt);
      return loaded.due;
    }
  }
  queue.dropWaiting();
  // The lease had expired, and another worker owns the queue now.
  if (!loaded) queues.delete(queue);
  return [];
}

/** Returns undefined when a secret cannot be opened: only this endpoint then waits. */
function readDestination(ctx: Services, settings: string): Destination | undefined {
  const row: SettingsRow = JSON.parse(settings);
  const { tenantId, endpointId } = row;
  try {
    return destinationOf(ctx, row);
  } catch (error) {
    ctx.log.warn({ tenantId, endpointId, err: error }, 'An endpoint cannot be delivered to.');
    return undefined;
  }
}

const readyFrom = ({ data: _, ...due }: DueDelivery, body: string | undefined) => ({
  ...due,
  documentKey:
    due.documentId === null ? undefined : JSON.stringify([due.organizationId, due.documentId]),
  body: body ?? null,
});

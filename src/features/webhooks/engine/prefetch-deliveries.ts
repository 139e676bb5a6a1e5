import type { Services } from '../../../api/context.ts';
import { bodiesOf } from './bodies.ts';
import { type Destination, destinationOf, type SettingsRow } from './destination.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import { type DueDelivery, type LoadedQueue, loadDue } from './load-due.ts';

/** How many queues one statement loads, so that the bodies do not take too much memory at once. */
const QUEUES_PER_LOAD = 100;

/** Loads due deliveries for all queues that are running low, with one statement for many queues. */
export async function prefetchDeliveries(
  ctx: Services,
  worker: string,
  queues: EndpointQueues,
): Promise<void> {
  const lowQueues = queues.all().filter((queue) => queue.isLow && !queues.mustYield(queue));
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
  const orders = lowQueues.map(({ tenantId, endpointId, after, until, prefetchCount: limit }) => {
    return { tenantId, endpointId, after, until, limit };
  });
  const loadedQueues = await loadDue(ctx.db, worker, orders);
  const open = lowQueues.map((queue, index) =>
    takeSettings(ctx, queues, queue, loadedQueues[index]),
  );
  const bodies = await bodiesOf(ctx, open.flat());
  for (const [index, queue] of lowQueues.entries()) {
    const loaded = open[index] ?? [];
    const isAll = loaded.length < (orders[index]?.limit ?? 0);
    queue.add(
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
    if (queue.settings !== loaded.settings) {
      queue.settings = loaded.settings;
      queue.destination = loaded.settings ? readDestination(ctx, loaded.settings) : undefined;
    }
    if (queue.destination) return loaded.due;
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

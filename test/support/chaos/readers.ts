import { setTimeout as sleep } from 'node:timers/promises';
import { type Loose, pagesOf } from '../answers.ts';
import type { PublishedEvent } from '../events.ts';
import { type Receiver, respondWith, startReceiver } from '../receiver.ts';
import { type Cluster, place } from './cluster.ts';
import type { Random } from './random.ts';

const PAGE = 100;
/** One of this many events is refused at its first delivery. */
const REFUSED_EVERY = 20;

export type Follower = ReturnType<typeof follower>;
export type Receivers = Awaited<ReturnType<typeof receiveWebhooks>>;

async function readPage(cluster: Cluster, after: string | undefined, limit: number) {
  const { data } = await cluster.acknowledged('/v2/events/get', { after, limit });
  return data as { events: PublishedEvent[]; cursor: string };
}

/** Reads the log from its start while it grows, each page from any process. */
export function follower(cluster: Cluster, random: Random) {
  /** The ids of the events, as they were read. */
  const ids: string[] = [];
  let cursor: string | undefined;
  return {
    ids,
    async run(isOver: () => boolean) {
      for (;;) {
        const wasOver = isOver();
        const page = await readPage(cluster, cursor, random.between(1, PAGE));
        ids.push(...page.events.map(({ id }) => id));
        cursor = page.cursor;
        if (wasOver && page.events.length === 0) return;
        if (page.events.length === 0) await sleep(random.between(10, 200));
      }
    },
  };
}

/** All events, in the order of the log. */
export async function readLog(cluster: Cluster): Promise<PublishedEvent[]> {
  const events: PublishedEvent[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await readPage(cluster, cursor, 1_000);
    if (page.events.length === 0) return events;
    events.push(...page.events);
    cursor = page.cursor;
  }
}

/** Receives the events of all organizations by webhooks. */
export async function receiveWebhooks(cluster: Cluster, random: Random) {
  const seen = new Set<string>();
  /** Accepts every delivery. */
  const steady = await startReceiver();
  /** Refuses some events the first time. */
  const moody = await startReceiver((request, response) => {
    const id = request.event.id;
    const isRefused = !seen.has(id) && random.below(REFUSED_EVERY) === 0;
    seen.add(id);
    respondWith(isRefused ? 503 : 200)(request, response);
  });
  // A process that was frozen for long would otherwise send into a closed connection.
  for (const { server } of [steady, moody]) server.keepAliveTimeout = 0;
  const path = '/v2/workspace/advancedwebhook';
  await cluster.acknowledged(`${path}config/update`, { isEnabled: true });
  for (const { url } of [steady, moody]) {
    await cluster.acknowledged(`${path}/endpoints/create`, { url });
  }
  return { steady, moody };
}

/** The events that a receiver got, each once, in the order of their first arrival. */
export const firstArrivals = ({ received }: Receiver): PublishedEvent[] => [
  ...new Map(received.map(({ event }) => [event.id, event])).values(),
];

/** The ids of events of which a delivery failed at first. */
export async function retriedEvents({ database }: Cluster): Promise<Set<string>> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT DISTINCT event_id AS id FROM webhook_deliveries
     JOIN webhook_attempts USING (tenant_id, endpoint_id, sequence) WHERE error IS NOT NULL`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The types of events that the activity log of the organization records. */
export const RECORDED = ['comment_annotation.add', 'document.add'];

export async function recordActivities({ acknowledged }: Cluster): Promise<void> {
  const triggers = { comment: { newlyAdded: true }, document: { add: true } };
  await acknowledged('/v2/workspace/activityconfig/update', {
    activityServiceConfig: { isEnabled: true, triggers },
  });
}

/** The ids of the recorded events, oldest first. */
export async function readActivities({ acknowledged }: Cluster): Promise<string[]> {
  const { organizationId } = place;
  const ids: string[] = [];
  const query = { organizationId, order: 'asc', pageSize: 1_000 };
  const read = (pageToken?: string) => acknowledged('/v2/activities/get', { ...query, pageToken });
  for await (const { data } of pagesOf(read)) ids.push(...data.map(({ id }: Loose) => id));
  return ids;
}

interface Waiting {
  editors: number;
  calls: number;
  deliveries: number;
}

/** The work that waits in the database, by queue: as metrics of the processes report it, and in other tables. */
export async function readBacklog({ nodes, database }: Cluster): Promise<Record<string, number>> {
  const [node] = nodes;
  const metrics = await (await fetch(`${node?.clients.url}/metrics`)).text();
  const queues = metrics.matchAll(/^backlog_waiting\{queue="(.+)"\} (.+)$/gm);
  const { rows } = await database.query<Waiting>(
    `SELECT (SELECT count(*) FROM crdt_documents WHERE event_due_at IS NOT NULL)::int AS editors,
            (SELECT count(*) FROM idempotency_keys WHERE sealed_answer IS NULL)::int AS calls,
            (SELECT count(*) FROM webhook_deliveries WHERE status <> 'delivered')::int
              AS deliveries`,
  );
  return {
    ...Object.fromEntries([...queues].map(([, queue, count]) => [queue, Number(count)])),
    ...rows[0],
  };
}

import type { Services } from '../../../api/context.ts';
import { type Database, sql } from '../../../platform/database/database.ts';
import { type QueueKey, queueKey } from '../queues.ts';
import { bodiesOf, type DueDelivery } from './bodies.ts';
import { type Destination, destinationOf, type SettingsRow, settingsOf } from './destination.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

/**
 * Loads due deliveries of several queues, and the current settings of their endpoints, with one statement.
 * Nothing is loaded for a queue while its endpoint is disabled, or if the worker has lost the queue because
 * its lease has expired.
 */
export async function loadDeliveries(ctx: Services, queues: EndpointQueue[]): Promise<void> {
  const prefetches = queues.map((queue) => ({ queue, count: queue.prefetchCount }));
  const rows = Map.groupBy(await readRows(ctx.db, prefetches), queueKey);
  for (const { queue, count } of prefetches) {
    const ofQueue = rows.get(queueKey(queue)) ?? [];
    const [first] = ofQueue;
    queue.destination = first?.settings ? readDestination(ctx, first.settings) : undefined;
    if (!queue.destination) queue.dropWaiting();
    const due = queue.destination ? ofQueue.filter(isDelivery) : [];
    const bodies = await bodiesOf(ctx, due);
    const ready = due.map((delivery, index) => toReadyDelivery(delivery, bodies[index] ?? null));
    queue.addLoaded(ready, due.length < count);
  }
}

/** Returns undefined if a secret cannot be decrypted, so that only this endpoint waits. */
function readDestination(ctx: Services, row: SettingsRow): Destination | undefined {
  const { tenantId, endpointId } = row;
  try {
    return destinationOf(ctx, row);
  } catch (error) {
    ctx.log.warn(
      { tenantId, endpointId, err: error },
      'The settings of an endpoint cannot be read, so its deliveries wait.',
    );
    return undefined;
  }
}

const toReadyDelivery = ({ data: _, ...due }: DueDelivery, body: string | null) => ({
  ...due,
  documentKey:
    due.documentId === null ? undefined : JSON.stringify([due.organizationId, due.documentId]),
  body,
});

/** A due delivery of a queue. A queue with nothing due has one row with nulls in place of a delivery. */
type Row = QueueKey & {
  /** Set only in the first row of the queue. */
  settings: SettingsRow | null;
} & (Delivery | Record<keyof Delivery, null>);
type Delivery = Omit<DueDelivery, keyof QueueKey>;

const isDelivery = (row: Row): row is Row & DueDelivery => row.sequence !== null;

function readRows(
  db: Database,
  prefetches: Array<{ queue: EndpointQueue; count: number }>,
): Promise<Row[]> {
  const records = prefetches.map(({ queue, count }) => {
    const { tenantId, endpointId, dueBefore, lastLoaded } = queue;
    const { dueAt = new Date(0), sequence = '-1' } = lastLoaded ?? {};
    return { tenantId, endpointId, dueAt, sequence, dueBefore, count };
  });
  return db.query<Row>(sql`
    SELECT prefetch."tenantId", prefetch."endpointId",
           CASE WHEN COALESCE(due.rank, 1) = 1 THEN (${settingsOf(sql`queue`)}) END AS settings,
           due.created_at AS "createdAt", due.sequence::text, due_at AS "dueAt", failures,
           due.event_id AS "eventId", due.event_type AS "eventType",
           event.organization_id AS "organizationId", event.document_id AS "documentId",
           event.data::text AS data
    FROM json_to_recordset(${JSON.stringify(records)}::json) AS prefetch(
      "tenantId" text, "endpointId" text, "dueAt" timestamptz, sequence bigint,
      "dueBefore" timestamptz, count int)
    JOIN webhook_queues AS queue
      ON queue.tenant_id = prefetch."tenantId" AND queue.endpoint_id = prefetch."endpointId"
    LEFT JOIN LATERAL (
      SELECT row_number() OVER () AS rank, * FROM (
        SELECT * FROM webhook_deliveries AS delivery /* all tenants, background */
        WHERE delivery.tenant_id = prefetch."tenantId"
          AND delivery.endpoint_id = prefetch."endpointId"
          AND status = 'pending' AND due_at < "dueBefore"
          AND (due_at, delivery.sequence) > (prefetch."dueAt", prefetch.sequence)
        ORDER BY due_at, delivery.sequence LIMIT prefetch.count
      ) AS first
    ) AS due ON true
    LEFT JOIN LATERAL (
      SELECT * FROM events
      WHERE events.tenant_id = due.tenant_id AND events.sequence = due.sequence LIMIT 1
    ) AS event ON true
    WHERE queue.owner = ${db.id}
    ORDER BY due_at, due.sequence`);
}

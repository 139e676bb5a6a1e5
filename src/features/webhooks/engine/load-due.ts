import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { QueueKey } from '../queues.ts';

/** The position of a delivery in the order of its queue. Loading continues after it. */
export interface Position {
  dueAt: Date;
  sequence: string;
}

/** A delivery that is due, with its event. */
export interface DueDelivery extends QueueKey {
  createdAt: Date;
  sequence: string;
  dueAt: Date;
  failures: number;
  eventId: string;
  eventType: string;
  organizationId: string | null;
  documentId: string | null;
  /** As it was stored; null when the event was removed for its age. */
  data: string | null;
}

export interface LoadOrder extends QueueKey {
  /** The position to continue from; absent for the start. */
  after: Position | undefined;
  /** See `ClaimedQueue`. */
  until: Date;
  limit: number;
}

/** A queue at one moment: its endpoint's settings, and its due deliveries. */
export interface LoadedQueue {
  /** A `SettingsRow` as JSON. Null when the key has no settings, and so no webhooks. */
  settings: string | null;
  due: DueDelivery[];
}

/** Only a queue's first row has the settings. A queue with nothing due has one row of nulls. */
type Row = (Delivery | Record<keyof Delivery, null>) &
  Pick<LoadedQueue, 'settings'> & { number: number };
type Delivery = Omit<DueDelivery, keyof QueueKey>;

const START: Position = { dueAt: new Date(0), sequence: '-1' };

/**
 * Reads the due deliveries of several queues, each in its order, with one statement.
 *
 * @returns the queue of each order, or undefined when the worker does not own it
 */
export async function loadDue(
  db: Queryable,
  worker: string,
  orders: LoadOrder[],
): Promise<Array<LoadedQueue | undefined>> {
  const rows = Map.groupBy(await readRows(db, worker, orders), ({ number }) => number);
  return orders.map(({ tenantId, endpointId }, index) => {
    const [first, ...others] = rows.get(index + 1) ?? [];
    if (!first) return undefined;
    const due = [first, ...others].flatMap((row) =>
      row.sequence === null ? [] : { ...row, tenantId, endpointId },
    );
    return { settings: first.settings, due };
  });
}

function readRows(db: Queryable, worker: string, orders: LoadOrder[]): Promise<Row[]> {
  const after = orders.map((order) => order.after ?? START);
  return db.query<Row>(sql`
    SELECT wanted.number::int,
           CASE WHEN COALESCE(due.rank, 1) = 1 THEN (${settingsOfQueue})::text END AS settings,
           due.created_at AS "createdAt", due.sequence::text, due_at AS "dueAt", failures,
           due.event_id AS "eventId", due.event_type AS "eventType",
           event.organization_id AS "organizationId", event.document_id AS "documentId",
           event.data::text AS data
    FROM unnest(${orders.map(({ tenantId }) => tenantId)}::text[],
                ${orders.map(({ endpointId }) => endpointId)}::text[],
                ${after.map(({ dueAt }) => dueAt)}::timestamptz[],
                ${after.map(({ sequence }) => sequence)}::bigint[],
                ${orders.map(({ until }) => until)}::timestamptz[],
                ${orders.map(({ limit }) => limit)}::int[])
           WITH ORDINALITY AS wanted(tenant, endpoint, after_due, after_sequence, until, most, number)
    JOIN webhook_queues AS queue
      ON queue.tenant_id = wanted.tenant AND queue.endpoint_id = wanted.endpoint
    LEFT JOIN LATERAL (
      SELECT row_number() OVER () AS rank, * FROM (
        SELECT * FROM webhook_deliveries /* all tenants, background */
        WHERE tenant_id = wanted.tenant AND endpoint_id = wanted.endpoint
          AND status = 'pending' AND due_at < until
          AND (due_at, sequence) > (after_due, after_sequence)
        ORDER BY due_at, sequence LIMIT wanted.most
      ) AS first
    ) AS due ON true
    LEFT JOIN LATERAL (
      SELECT * FROM events
      WHERE events.tenant_id = due.tenant_id AND events.sequence = due.sequence LIMIT 1
    ) AS event ON true
    WHERE queue.owner = ${worker}
    ORDER BY wanted.number, due_at, due.sequence`);
}

const settingsOfQueue = sql`
  SELECT json_build_object(
    'tenantId', queue.tenant_id, 'endpointId', queue.endpoint_id,
    'url', url, 'disabled', disabled, 'rateLimit', rate_limit,
    'sealedSecret', sealed_secret, 'sealedPreviousSecrets', sealed_previous_secrets,
    'useAdvancedWebhooks', use_advanced_webhooks, 'useWebhookService', use_webhook_service,
    'rawUrl', webhook_service_config->>'rawNotificationUrl',
    'processedUrl', webhook_service_config->>'processedNotificationUrl',
    'sealedAuthToken', sealed_webhook_auth_token)
  FROM service_settings AS settings
  LEFT JOIN webhook_endpoints AS endpoint
    ON endpoint.tenant_id = queue.tenant_id AND endpoint.id = queue.endpoint_id
  WHERE settings.tenant_id = queue.tenant_id`;

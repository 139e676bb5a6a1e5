import type { Services } from '../../api/context.ts';
import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import type { EventReader } from '../../platform/events/event-reader.ts';
import type { LoggedEvent } from '../../platform/events/logged-events.ts';
import { BASIC_ENDPOINTS, BASIC_PROCESSED, BASIC_RAW } from './basic-endpoints.ts';
import { MAX_ENDPOINTS } from './endpoints/endpoints.ts';
import { earliestDue, QUEUES_CHANNEL } from './queues.ts';

const tenantsWithWebhooks = sql`
  SELECT tenant_id FROM service_settings /* all tenants, background */
  WHERE use_advanced_webhooks OR use_webhook_service`;

/**
 * The most deliveries that one transaction creates, so that events of other keys do not wait long for it. A few
 * events may reach this number, since a key may have a thousand endpoints.
 */
const MAX_DELIVERIES = 10_000;

/** Creates a delivery for each event and each endpoint that receives it. */
export const webhookReader: EventReader<Services> = {
  name: 'webhooks',
  where: sql`tenant_id IN (${tenantsWithWebhooks})`,
  // Workers read the data when they create the body.
  needsNoData: true,
  batch: 500,
  limitBatch: countEventsAtOnce,
  async handle({ clock, db, wakeUps }, tx, events) {
    tx.beforeCommit(insertDeliveries(events, db.id, new Date(clock.now())), {
      use: (queues) => {
        if (queues.length > 0) wakeUps.emit('deliveries');
      },
    });
  },
};

/** Returns how many of the first events have at most `MAX_DELIVERIES` deliveries together, but at least one event. */
async function countEventsAtOnce(tx: Queryable, events: LoggedEvent[]): Promise<number> {
  if (events.length * MAX_ENDPOINTS <= MAX_DELIVERIES) return events.length;
  const counts = await tx.query<{ tenantId: string; count: number }>(sql`
    SELECT tenant_id AS "tenantId", count(*)::int AS count
    FROM webhook_endpoints /* all tenants, background */
    WHERE tenant_id = ANY(${tenantIdsOf(events)}) GROUP BY tenant_id`);
  const countOf = new Map(counts.map(({ tenantId, count }) => [tenantId, count]));
  let deliveries = 0;
  const count = events.findIndex(({ tenantId }) => {
    deliveries += BASIC_ENDPOINTS.length + (countOf.get(tenantId) ?? 0);
    return deliveries > MAX_DELIVERIES;
  });
  return count === -1 ? events.length : Math.max(1, count);
}

/**
 * SQL that inserts a delivery for each event and each endpoint that receives it. The deliveries are due in the
 * order of their events. Also wakes the workers of other processes that own the queues.
 */
const insertDeliveries = (events: LoggedEvent[], worker: string, now: Date): Sql => sql`
  WITH event AS MATERIALIZED (
    SELECT * FROM json_to_recordset(${JSON.stringify(events.map(rowOf))}::json)
      AS event(tenant_id text, sequence bigint, event_id text, event_type text, channels text[],
               created_at timestamptz, notifies boolean)
  ), new AS MATERIALIZED (
    SELECT event.*, endpoint_id FROM event JOIN (${targetsOf(tenantIdsOf(events))}) AS target USING (tenant_id)
    WHERE ${isReceived}
  ), queue AS (
    INSERT INTO webhook_queues AS queue (tenant_id, endpoint_id, next_at, last_due_at, version)
    SELECT DISTINCT tenant_id, endpoint_id, ${now}::timestamptz, ${now}::timestamptz, 1 FROM new
    ORDER BY tenant_id, endpoint_id
    ON CONFLICT (tenant_id, endpoint_id) DO UPDATE SET
      next_at = LEAST(queue.next_at, EXCLUDED.next_at),
      last_due_at = ${earliestDue(now)},
      version = queue.version + 1
    RETURNING tenant_id, endpoint_id, owner, last_due_at
  ), delivery AS (
    INSERT INTO webhook_deliveries /* all tenants, background */
      (tenant_id, endpoint_id, created_at, sequence, event_id, event_type, due_at)
    SELECT tenant_id, endpoint_id, created_at, sequence, event_id, event_type, last_due_at
    -- Each row has its counterpart, so a full join gives the same rows as an inner join. PostgreSQL expects few
    -- rows, and would execute an inner join as a slow nested loop, which a full join does not allow.
    FROM new FULL JOIN queue USING (tenant_id, endpoint_id)
    ORDER BY tenant_id, endpoint_id, sequence
    ON CONFLICT DO NOTHING
  )
  SELECT CASE WHEN owner <> ${worker} THEN pg_notify(${QUEUES_CHANNEL}, owner) END AS notified
  FROM queue`;

const tenantIdsOf = (events: LoggedEvent[]): string[] => [
  ...new Set(events.map(({ tenantId }) => tenantId)),
];

const rowOf = (event: LoggedEvent): object => ({
  tenant_id: event.tenantId,
  sequence: event.sequence,
  event_id: event.id,
  event_type: event.type,
  channels: event.channels,
  created_at: event.createdAt,
  // The processed webhook receives events that notify users.
  notifies: /^(?:comment_annotation\.|comment\.|notification\.add$)/.test(event.type),
});

/**
 * SQL: the enabled endpoints of these tenants, including basic webhooks, with their event filters. An
 * endpoint receives no events up to `start_sequence`, which are older. A filter that is null admits all events.
 */
const targetsOf = (tenantIds: string[]): Sql => sql`
  SELECT endpoint.tenant_id, id AS endpoint_id, start_sequence, filter_types,
         endpoint.channels AS filter_channels
  FROM webhook_endpoints AS endpoint /* all tenants, background */
  JOIN service_settings AS settings ON settings.tenant_id = endpoint.tenant_id
  WHERE endpoint.tenant_id = ANY(${tenantIds}) AND NOT disabled AND use_advanced_webhooks
  UNION ALL
  SELECT tenant_id, basic.id, 0, NULL, NULL
  FROM service_settings /* all tenants, background */
  CROSS JOIN (VALUES (${BASIC_RAW}, 'rawNotificationUrl'),
                     (${BASIC_PROCESSED}, 'processedNotificationUrl')) AS basic(id, url)
  WHERE tenant_id = ANY(${tenantIds}) AND use_webhook_service
    AND COALESCE(webhook_service_config->>basic.url, '') <> ''`;

/** SQL: whether a target receives an event of its tenant. */
const isReceived = sql`
  event.sequence > start_sequence AND (endpoint_id <> ${BASIC_PROCESSED} OR notifies)
  AND (filter_types IS NULL OR event_type = ANY(filter_types))
  AND (filter_channels IS NULL OR channels && filter_channels)`;

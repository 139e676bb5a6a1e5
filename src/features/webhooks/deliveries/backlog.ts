import { type Sql, sql } from '../../../platform/database/database.ts';
import type { BacklogQueue } from '../../../platform/processes/backlog.ts';

/** Endpoints that are looked at; with more, the oldest delivery may be one of another endpoint. */
const MAX_ENDPOINTS = 1_000;

/** SQL for a time of the first pending delivery of each endpoint that has some. */
const firstOfEndpoints = (time: Sql, order: Sql, condition: Sql): Sql => sql`
  SELECT count(*)::int AS waiting, min(at) AS since
  FROM (SELECT tenant_id, endpoint_id FROM webhook_queues
        WHERE next_at IS NOT NULL LIMIT ${MAX_ENDPOINTS}) AS queue
  CROSS JOIN LATERAL (
    SELECT ${time} AS at FROM webhook_deliveries AS delivery
    WHERE delivery.tenant_id = queue.tenant_id AND delivery.endpoint_id = queue.endpoint_id
      AND status = 'pending'
    ORDER BY ${order} LIMIT 1) AS first
  WHERE ${condition}`;

/**
 * Endpoints with deliveries that are not made yet, many of which wait for another attempt, and
 * endpoints with deliveries whose time has come.
 */
export const deliveryQueues: BacklogQueue[] = [
  {
    name: 'pending deliveries',
    rows: () => firstOfEndpoints(sql`created_at`, sql`delivery.created_at, sequence`, sql`true`),
  },
  {
    name: 'due deliveries',
    rows: (now) => firstOfEndpoints(sql`due_at`, sql`delivery.due_at, sequence`, sql`at <= ${now}`),
  },
];

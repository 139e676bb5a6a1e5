import { type Sql, sql } from '../../../platform/database/database.ts';
import type { BacklogQueue } from '../../../platform/processes/backlog.ts';

/** The most endpoints that are read. If there are more, the oldest delivery may be missed. */
const MAX_ENDPOINTS = 1_000;

/** SQL: counts the endpoints whose first pending delivery, in this order, meets the condition. */
const countEndpoints = (time: Sql, order: Sql, condition: Sql): Sql => sql`
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
 * The endpoints with pending deliveries, including those that are waiting for a retry, and the endpoints with
 * deliveries that are due.
 */
export const deliveryQueues: BacklogQueue[] = [
  {
    name: 'pending-deliveries',
    rows: () => countEndpoints(sql`created_at`, sql`delivery.created_at, sequence`, sql`true`),
  },
  {
    name: 'due-deliveries',
    rows: (now) => countEndpoints(sql`due_at`, sql`delivery.due_at, sequence`, sql`at <= ${now}`),
  },
];

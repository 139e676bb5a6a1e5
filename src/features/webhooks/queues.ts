import { type Queryable, sql } from '../../platform/database/database.ts';

/** An endpoint's queue. */
export interface QueueKey {
  tenantId: string;
  endpointId: string;
}

/** Where the workers of other processes hear that queues have changed. */
export const QUEUES_CHANNEL = 'webhook_queues';

/**
 * Says that something changed for an endpoint: whoever holds its queue looks again, and if nobody
 * does, somebody takes it. An endpoint that was never sent anything has no queue.
 */
export async function wakeQueue(
  db: Queryable,
  tenantId: string,
  endpointId: string,
  at: Date,
): Promise<void> {
  await db.query(sql`
    WITH woken AS (
      UPDATE webhook_queues SET next_at = LEAST(next_at, ${at}), version = version + 1
      WHERE tenant_id = ${tenantId} AND endpoint_id = ${endpointId} RETURNING 1
    )
    SELECT pg_notify(${QUEUES_CHANNEL}, '') FROM woken`);
}

/** The same for all endpoints of a key: webhooks were turned on, or changed. */
export async function wakeQueues(db: Queryable, tenantId: string, at: Date): Promise<void> {
  await db.query(sql`
    WITH woken AS (
      UPDATE webhook_queues SET next_at = LEAST(next_at, ${at}), version = version + 1
      WHERE tenant_id = ${tenantId} RETURNING 1
    )
    SELECT pg_notify(${QUEUES_CHANNEL}, '') FROM woken LIMIT 1`);
}

/** For an endpoint that its owner enables: what failed before it was disabled is long ago. */
export async function forgetFailures(
  db: Queryable,
  tenantId: string,
  endpointId: string,
): Promise<void> {
  await db.query(sql`
    UPDATE webhook_queues SET failing_since = NULL
    WHERE tenant_id = ${tenantId} AND endpoint_id = ${endpointId}`);
}

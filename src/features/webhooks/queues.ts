import { type Queryable, sql } from '../../platform/database/database.ts';

/** Identifies an endpoint's queue. */
export interface QueueKey {
  tenantId: string;
  endpointId: string;
}

/** A queue that has new deliveries. */
export interface ChangedQueue extends QueueKey {
  /** The worker that has claimed the queue. */
  owner: string | null;
}

/**
 * The NOTIFY channel on which workers learn that queues have changed. The payload is the worker that
 * owns them; empty: any worker.
 */
export const QUEUES_CHANNEL = 'webhook_queues';

/**
 * Announces a change of an endpoint or its deliveries: the worker that owns the queue loads it
 * again, or some worker claims it. An endpoint without any delivery has no queue yet.
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

/** Wakes all queues of a key, after its webhooks were turned on or changed. */
export async function wakeQueues(db: Queryable, tenantId: string, at: Date): Promise<void> {
  await db.query(sql`
    WITH woken AS (
      UPDATE webhook_queues SET next_at = LEAST(next_at, ${at}), version = version + 1
      WHERE tenant_id = ${tenantId} RETURNING 1
    )
    SELECT pg_notify(${QUEUES_CHANNEL}, '') FROM woken LIMIT 1`);
}

/** Forgets since when an endpoint has been failing; its owner has enabled it again. */
export async function forgetFailures(
  db: Queryable,
  tenantId: string,
  endpointId: string,
): Promise<void> {
  await db.query(sql`
    UPDATE webhook_queues SET failing_since = NULL
    WHERE tenant_id = ${tenantId} AND endpoint_id = ${endpointId}`);
}

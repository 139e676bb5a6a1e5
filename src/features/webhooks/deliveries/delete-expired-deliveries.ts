import { type Queryable, sql } from '../../../platform/database/database.ts';
import { MAX_RUN_MS } from '../../../platform/database/delete-expired-rows.ts';
import { keptSince, type RetentionContext } from '../../events/retention.ts';
import { BASIC_ENDPOINTS } from '../basic-endpoints.ts';

/** The most rows that one statement deletes, so that it blocks nobody. */
const BATCH_SIZE = 1_000;

/** Removes deliveries whose events are no longer stored, and deliveries of deleted endpoints. */
export async function deleteExpiredDeliveries(ctx: RetentionContext): Promise<void> {
  const endAt = performance.now() + MAX_RUN_MS;
  while ((await removeBatch(ctx.db, keptSince(ctx))) === BATCH_SIZE && performance.now() < endAt);
  await removeQueues(ctx.db);
}

/** Removes up to `BATCH_SIZE` deliveries, queue by queue, since an index orders each queue by age. */
async function removeBatch(db: Queryable, before: Date): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    WITH oldest AS MATERIALIZED (
      SELECT old.* FROM webhook_queues AS queue /* all tenants, background */
      CROSS JOIN LATERAL (
        SELECT tenant_id, endpoint_id, created_at, sequence FROM webhook_deliveries AS delivery
        WHERE delivery.tenant_id = queue.tenant_id AND delivery.endpoint_id = queue.endpoint_id
          AND delivery.created_at < CASE WHEN ${isOfDeletedEndpoint} THEN 'infinity' ELSE ${before}::timestamptz END
        ORDER BY created_at LIMIT ${BATCH_SIZE}
      ) AS old LIMIT ${BATCH_SIZE}
    ), removed AS (
      DELETE FROM webhook_deliveries AS delivery USING oldest
      WHERE delivery.tenant_id = oldest.tenant_id AND delivery.endpoint_id = oldest.endpoint_id
        AND delivery.created_at = oldest.created_at AND delivery.sequence = oldest.sequence
      RETURNING delivery.tenant_id, delivery.endpoint_id, delivery.sequence
    ), attempts AS (
      DELETE FROM webhook_attempts AS attempt USING removed
      WHERE attempt.tenant_id = removed.tenant_id AND attempt.endpoint_id = removed.endpoint_id
        AND attempt.sequence = removed.sequence
    )
    SELECT count(*)::int AS count FROM removed`);
  return row?.count ?? 0;
}

/** Removes the queues of deleted endpoints once they are empty and have no owner. */
async function removeQueues(db: Queryable): Promise<void> {
  await db.query(sql`
    DELETE FROM webhook_queues AS queue /* all tenants, background */
    WHERE ${isOfDeletedEndpoint} AND owner IS NULL AND NOT EXISTS (
      SELECT 1 FROM webhook_deliveries AS delivery
      WHERE delivery.tenant_id = queue.tenant_id AND delivery.endpoint_id = queue.endpoint_id)`);
}

/** SQL: whether the endpoint of a queue was deleted. */
const isOfDeletedEndpoint = sql`(
  queue.endpoint_id <> ALL(${BASIC_ENDPOINTS}) AND NOT EXISTS (
    SELECT 1 FROM webhook_endpoints AS endpoint
    WHERE endpoint.tenant_id = queue.tenant_id AND endpoint.id = queue.endpoint_id))`;

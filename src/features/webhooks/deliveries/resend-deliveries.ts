import type { KeyContext } from '../../../api/context.ts';
import { type Sql, sql } from '../../../platform/database/database.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';
import { BASIC_ENDPOINTS } from '../basic-endpoints.ts';
import { requireAdvancedWebhooks, requireEnabledEndpoint } from '../endpoints/require-endpoint.ts';
import { wakeQueues } from '../queues.ts';
import type { RecoverEndpointInput } from '../schema.ts';
import { readDeliveryId } from './delivery-id.ts';

const MAX_AGE_MS = 14 * 24 * 60 * 60 * 1000;
/** About how many deliveries one statement updates, so that no statement takes long. */
const BATCH_SIZE = 5_000;

/** Resends deliveries that have failed since a time, whether they were given up or are waiting for a retry. */
export async function recoverEndpoint(
  ctx: KeyContext,
  { endpointId, since }: RecoverEndpointInput,
): Promise<{ recovered: number }> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  await requireAdvancedWebhooks(ctx);
  await requireEnabledEndpoint(ctx.db, tenantId, endpointId);
  if (since < now - MAX_AGE_MS) throw invalidField('since', 'must be at most 14 days ago');
  const failedSince = new Date(since);
  const failed = sql`status = 'failed' AND settled_at >= ${failedSince}`;
  const waiting = sql`
    status = 'pending' AND failures > 0 AND due_at > ${new Date(now)}
    AND ${failedSince} <= (
      SELECT max(at) FROM webhook_attempts AS attempt
      WHERE attempt.tenant_id = ${tenantId} AND attempt.endpoint_id = ${endpointId}
        AND attempt.sequence = webhook_deliveries.sequence)`;
  const recovered =
    (await requeueInBatches(ctx, endpointId, failed)) +
    (await requeueInBatches(ctx, endpointId, waiting));
  return { recovered };
}

/**
 * Requeues the deliveries that meet a condition, in batches by creation time. Batches by primary key would need
 * a join: PostgreSQL underestimates how many deliveries an endpoint has, and could read all of them for each key.
 */
async function requeueInBatches(
  ctx: KeyContext,
  endpointId: string,
  condition: Sql,
): Promise<number> {
  let count = 0;
  let after = new Date(0);
  for (;;) {
    const rest = sql`${condition} AND created_at > ${after}`;
    const [last] = await ctx.db.query<{ createdAt: Date }>(sql`
      SELECT created_at AS "createdAt" FROM webhook_deliveries
      WHERE tenant_id = ${ctx.tenantId} AND endpoint_id = ${endpointId} AND ${rest}
      ORDER BY created_at OFFSET ${BATCH_SIZE - 1} LIMIT 1`);
    if (!last) return count + (await requeueDeliveries(ctx, endpointId, rest));
    after = last.createdAt;
    count += await requeueDeliveries(ctx, endpointId, sql`${rest} AND created_at <= ${after}`);
  }
}

/**
 * Resends a delivery, whatever its status. Deliveries of deleted endpoints are not found.
 *
 * @throws NOT_FOUND
 */
export async function resendDelivery(ctx: KeyContext, deliveryId: string) {
  const { tenantId } = ctx;
  await requireAdvancedWebhooks(ctx);
  const key = readDeliveryId(deliveryId);
  if (!key) throw deliveryNotFound();
  const { endpointId, createdAt, eventId } = key;
  const isDelivery = sql`created_at = ${createdAt} AND event_id = ${eventId}`;
  const found = await ctx.db.query(sql`
    SELECT 1 FROM webhook_deliveries
    WHERE tenant_id = ${tenantId} AND endpoint_id = ${endpointId} AND ${isDelivery}
      AND (endpoint_id = ANY(${BASIC_ENDPOINTS}) OR EXISTS (
        SELECT 1 FROM webhook_endpoints WHERE tenant_id = ${tenantId} AND id = ${endpointId}))`);
  if (found.length === 0) throw deliveryNotFound();
  if (!BASIC_ENDPOINTS.includes(endpointId)) {
    await requireEnabledEndpoint(ctx.db, tenantId, endpointId);
  }
  await requeueDeliveries(ctx, endpointId, isDelivery);
  return { deliveryId };
}

const deliveryNotFound = () => new AppError('NOT_FOUND', 'The delivery does not exist.');

/**
 * Makes deliveries of an endpoint due again, if they meet a condition. Like new deliveries, they are due at the
 * `last_due_at` that `wakeQueues` has just advanced. The worker has loaded only earlier due times, so the outcome
 * of a request in flight does not settle these deliveries.
 *
 * @returns how many deliveries are due again
 */
const requeueDeliveries = (ctx: KeyContext, endpointId: string, condition: Sql): Promise<number> =>
  ctx.db.transaction(async (tx) => {
    await wakeQueues(ctx, tx, endpointId);
    const rows = await tx.query(sql`
      UPDATE webhook_deliveries
      SET status = 'pending', settled_at = NULL, failures = 0, due_at = (
        SELECT last_due_at FROM webhook_queues
        WHERE tenant_id = ${ctx.tenantId} AND endpoint_id = ${endpointId})
      WHERE tenant_id = ${ctx.tenantId} AND endpoint_id = ${endpointId} AND ${condition}
      RETURNING 1`);
    return rows.length;
  });

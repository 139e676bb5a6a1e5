import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { BASIC_ENDPOINTS } from '../basic/basic-endpoints.ts';
import { requireAdvancedWebhooks, requireEnabledEndpoint } from '../endpoints/require-endpoint.ts';
import { wakeQueue } from '../queues.ts';
import { type DeliveryKey, readDeliveryId } from './delivery-id.ts';

/**
 * Sends a delivery once more, whatever its status.
 *
 * @throws NOT_FOUND
 */
export async function resendDelivery(ctx: KeyContext, deliveryId: string) {
  await requireAdvancedWebhooks(ctx);
  const key = readDeliveryId(deliveryId);
  if (!key || !(await exists(ctx, key))) {
    throw new AppError('NOT_FOUND', 'The delivery does not exist.');
  }
  const { tenantId } = ctx;
  const { endpointId, createdAt, eventId } = key;
  const isBasic = BASIC_ENDPOINTS.some((id) => id === endpointId);
  if (!isBasic) await requireEnabledEndpoint(ctx.db, tenantId, endpointId);
  const now = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    await wakeQueue(tx, tenantId, endpointId, now);
    await tx.query(sql`
      UPDATE webhook_deliveries
      SET status = 'pending', due_at = ${now}, settled_at = NULL, failures = 0
      WHERE tenant_id = ${tenantId} AND endpoint_id = ${endpointId}
        AND created_at = ${createdAt} AND event_id = ${eventId}`);
    tx.afterCommit(() => ctx.wakeUps.emit('deliveries'));
  });
  return { deliveryId };
}

/** Deliveries of endpoints that were deleted can no longer be seen. */
async function exists(ctx: KeyContext, key: DeliveryKey): Promise<boolean> {
  const rows = await ctx.db.query(sql`
    SELECT 1 FROM webhook_deliveries
    WHERE tenant_id = ${ctx.tenantId} AND endpoint_id = ${key.endpointId}
      AND created_at = ${key.createdAt} AND event_id = ${key.eventId}
      AND (endpoint_id = ANY(${BASIC_ENDPOINTS}) OR EXISTS (
        SELECT 1 FROM webhook_endpoints
        WHERE tenant_id = ${ctx.tenantId} AND id = ${key.endpointId}))`);
  return rows.length > 0;
}

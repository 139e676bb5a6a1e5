import type { KeyContext } from '../../../api/context.ts';
import { type Sql, sql } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { requireAdvancedWebhooks, requireEnabledEndpoint } from '../endpoints/require-endpoint.ts';
import { wakeQueue } from '../queues.ts';
import type { RecoverEndpointInput } from '../schema.ts';

const MAX_AGE_MS = 14 * 24 * 60 * 60 * 1000;
/** How many deliveries one statement updates, so that none takes long. */
const STEP = 5_000;

/** Resends the deliveries that failed since a time, both given up and waiting for a retry. */
export async function recoverEndpoint(
  ctx: KeyContext,
  { endpointId, since }: RecoverEndpointInput,
): Promise<{ recovered: number }> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  await requireAdvancedWebhooks(ctx);
  await requireEnabledEndpoint(ctx.db, tenantId, endpointId);
  if (since < now - MAX_AGE_MS) {
    const message = 'must be at most 14 days ago';
    throw invalidArgument(`since: ${message}.`, {
      details: { issues: [{ path: 'since', message }] },
    });
  }
  const failedSince = new Date(since);
  const failed = sql`status = 'failed' AND settled_at >= ${failedSince}`;
  const waiting = sql`
    status = 'pending' AND failures > 0 AND due_at > ${new Date(now)}
    AND EXISTS (
      SELECT 1 FROM webhook_attempts AS attempt
      WHERE attempt.tenant_id = ${tenantId} AND attempt.endpoint_id = ${endpointId}
        AND attempt.sequence = webhook_deliveries.sequence AND attempt.at >= ${failedSince})`;
  const recovered =
    (await sendAgain(ctx, endpointId, failed)) + (await sendAgain(ctx, endpointId, waiting));
  return { recovered };
}

async function sendAgain(ctx: KeyContext, endpointId: string, which: Sql): Promise<number> {
  const { tenantId } = ctx;
  for (let all = 0; ; ) {
    const now = new Date(ctx.clock.now());
    const count = await ctx.db.transaction(async (tx) => {
      await wakeQueue(tx, tenantId, endpointId, now);
      const rows = await tx.query(sql`
        UPDATE webhook_deliveries
        SET status = 'pending', due_at = ${now}, settled_at = NULL, failures = 0
        WHERE tenant_id = ${tenantId} AND endpoint_id = ${endpointId}
          AND (created_at, sequence) IN (
            SELECT created_at, sequence FROM webhook_deliveries
            WHERE tenant_id = ${tenantId} AND endpoint_id = ${endpointId} AND ${which}
            LIMIT ${STEP} FOR UPDATE)
        RETURNING 1`);
      tx.afterCommit(() => ctx.wakeUps.emit('deliveries'));
      return rows.length;
    });
    all += count;
    if (count < STEP) return all;
  }
}

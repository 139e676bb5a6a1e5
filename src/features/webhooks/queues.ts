import type { KeyContext } from '../../api/context.ts';
import { empty, type Sql, sql, type Transaction } from '../../platform/database/database.ts';

export interface QueueKey {
  tenantId: string;
  endpointId: string;
}

export const queueKey = ({ tenantId, endpointId }: QueueKey): string => `${tenantId}/${endpointId}`;

/**
 * The NOTIFY channel on which workers learn that queues have changed. The payload is the worker that
 * owns them, or empty for all workers.
 */
export const QUEUES_CHANNEL = 'webhook_queues';

/**
 * SQL for the earliest time at which a delivery that is added to `queue` may be due: now, or the last due time
 * that the queue has assigned, if that is later. This keeps deliveries in order, although the clocks of processes
 * differ a little. A last due time that is ten seconds ahead shows that a clock was set back, and is ignored.
 */
export const earliestDue = (now: Date): Sql => sql`
  CASE WHEN queue.last_due_at < ${now}::timestamptz + interval '10 seconds'
    THEN GREATEST(queue.last_due_at, ${now}::timestamptz) ELSE ${now}::timestamptz END`;

/**
 * Announces a change to an endpoint or its deliveries; without `endpointId`, to all webhooks of the key. The
 * worker that owns a queue checks it again, and a queue without an owner is claimed. An endpoint that has
 * never had a delivery has no queue to wake.
 */
export async function wakeQueues(
  { clock, wakeUps, tenantId }: Pick<KeyContext, 'clock' | 'wakeUps' | 'tenantId'>,
  tx: Transaction,
  endpointId?: string,
): Promise<void> {
  const ofEndpoint = endpointId === undefined ? empty : sql`AND endpoint_id = ${endpointId}`;
  const now = new Date(clock.now());
  await tx.query(sql`
    WITH woken AS (
      UPDATE webhook_queues AS queue
      SET next_at = LEAST(next_at, ${now}), last_due_at = ${earliestDue(now)}, version = version + 1
      WHERE tenant_id = ${tenantId} ${ofEndpoint} RETURNING 1
    )
    SELECT pg_notify(${QUEUES_CHANNEL}, '') FROM woken LIMIT 1`);
  tx.afterCommit(() => wakeUps.emit('deliveries'));
}

import type { KeyContext } from '../../api/context.ts';
import { empty, sql, type Transaction } from '../../platform/database/database.ts';

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
 * owns them, or empty for all workers.
 */
export const QUEUES_CHANNEL = 'webhook_queues';

/**
 * Announces a change of an endpoint or of its deliveries; without an endpoint, of all webhooks of the
 * key. The worker that owns a queue loads it again, or some worker claims it. An endpoint without any
 * delivery has no queue yet.
 */
export async function wakeQueues(
  { clock, wakeUps, tenantId }: Pick<KeyContext, 'clock' | 'wakeUps' | 'tenantId'>,
  tx: Transaction,
  endpointId?: string,
): Promise<void> {
  const ofEndpoint = endpointId === undefined ? empty : sql`AND endpoint_id = ${endpointId}`;
  await tx.query(sql`
    WITH woken AS (
      UPDATE webhook_queues
      SET next_at = LEAST(next_at, ${new Date(clock.now())}), version = version + 1
      WHERE tenant_id = ${tenantId} ${ofEndpoint} RETURNING 1
    )
    SELECT pg_notify(${QUEUES_CHANNEL}, '') FROM woken LIMIT 1`);
  tx.afterCommit(() => wakeUps.emit('deliveries'));
}

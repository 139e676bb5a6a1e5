import type { Services } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { EventReader } from '../../../platform/events/event-reader.ts';
import type { QueueKey } from '../queues.ts';
import { isFor, loadTargets, tenantsWithWebhooks } from './targets.ts';

/** Creates a delivery for each event and each endpoint that receives it. */
export const webhookReader: EventReader<Services> = {
  name: 'webhooks',
  where: sql`tenant_id IN (${tenantsWithWebhooks})`,
  // Senders read the data when they make the body.
  needsNoData: true,
  async handle({ clock, wakeUps }, tx, events) {
    const targets = await loadTargets(tx, [...new Set(events.map(({ tenantId }) => tenantId))]);
    const byTenant = Map.groupBy(targets, ({ tenantId }) => tenantId);
    const deliveries = events.flatMap((event) =>
      (byTenant.get(event.tenantId) ?? [])
        .filter((target) => isFor(target, event))
        .map(({ tenantId, endpointId }) => ({
          tenant_id: tenantId,
          endpoint_id: endpointId,
          sequence: event.sequence,
          event_id: event.id,
          event_type: event.type,
          created_at: event.createdAt,
        })),
    );
    if (deliveries.length === 0) return;
    const queues = await insertDeliveries(tx, deliveries, new Date(clock.now()));
    tx.afterCommit(() => wakeUps.emit('deliveries', queues));
  },
};

/**
 * Inserts deliveries, due in the order of their events even when the process that made the earlier
 * ones had a clock slightly ahead. A clock more than ten seconds ahead is ignored.
 */
async function insertDeliveries(
  tx: Transaction,
  deliveries: object[],
  now: Date,
): Promise<QueueKey[]> {
  return tx.query<QueueKey>(sql`
    WITH new AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(deliveries)}::json)
        AS new(tenant_id text, endpoint_id text, sequence bigint, event_id text, event_type text,
               created_at timestamptz)
    ), queue AS (
      INSERT INTO webhook_queues AS queue (tenant_id, endpoint_id, next_at, last_due_at, version)
      SELECT DISTINCT tenant_id, endpoint_id, ${now}::timestamptz, ${now}::timestamptz, 1 FROM new
      ORDER BY tenant_id, endpoint_id
      ON CONFLICT (tenant_id, endpoint_id) DO UPDATE SET
        next_at = LEAST(queue.next_at, EXCLUDED.next_at),
        last_due_at = CASE WHEN queue.last_due_at < ${now}::timestamptz + interval '10 seconds'
          THEN GREATEST(queue.last_due_at, EXCLUDED.last_due_at) ELSE EXCLUDED.last_due_at END,
        version = queue.version + 1
      RETURNING tenant_id, endpoint_id, last_due_at
    ), delivery AS (
      INSERT INTO webhook_deliveries /* all tenants, background */
        (tenant_id, endpoint_id, created_at, sequence, event_id, event_type, due_at)
      SELECT tenant_id, endpoint_id, created_at, sequence, event_id, event_type, last_due_at
      FROM new JOIN queue USING (tenant_id, endpoint_id)
      ORDER BY tenant_id, endpoint_id, sequence
      ON CONFLICT DO NOTHING
    )
    SELECT tenant_id AS "tenantId", endpoint_id AS "endpointId" FROM queue`);
}

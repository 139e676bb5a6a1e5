import type { Services } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { type EndpointRow, endpointColumns, presentEndpoint } from '../endpoints/endpoint-row.ts';
import { laneKey } from './lane.ts';
import type { Outcome } from './outcome.ts';

type Context = Pick<Services, 'db' | 'events' | 'clock'>;

/** An endpoint whose failing began or ended. */
export interface FailingChange {
  tenantId: string;
  endpointId: string;
  failingSince: Date | null;
}

/**
 * Stores what became of attempts, of any number of endpoints, in one transaction. Rows are locked
 * in the order that operations keep as well: endpoints, their queues, deliveries.
 */
export function recordOutcomes(
  ctx: Context,
  outcomes: Outcome[],
  changes: FailingChange[],
): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const disabling = new Map(
      outcomes.flatMap((outcome) => (outcome.disable ? [[laneKey(outcome), outcome]] : [])),
    );
    for (const outcome of disabling.values()) await disableEndpoint(ctx, tx, outcome);
    if (changes.length > 0) await saveFailing(tx, changes);
    await saveAttempts(tx, outcomes);
  });
}

/** Tells the other endpoints of the key, once. */
async function disableEndpoint(ctx: Context, tx: Transaction, outcome: Outcome): Promise<void> {
  const { tenantId, endpointId, disable } = outcome;
  const [row] = await tx.query<EndpointRow>(sql`
    UPDATE webhook_endpoints /* all tenants */ SET disabled = true, updated_at = ${new Date(ctx.clock.now())}
    WHERE tenant_id = ${tenantId} AND id = ${endpointId} AND NOT disabled
    RETURNING ${endpointColumns}`);
  if (!row) return;
  const data = { ...presentEndpoint(row), reason: disable };
  await ctx.events.append(tx, tenantId, [{ type: 'endpoint.disabled', channels: [], data }]);
}

async function saveFailing(tx: Transaction, changes: FailingChange[]): Promise<void> {
  await tx.query(sql`
    WITH locked AS MATERIALIZED (
      SELECT tenant_id, endpoint_id, failing.since FROM webhook_queues /* all tenants */
      JOIN unnest(${changes.map(({ tenantId }) => tenantId)}::text[],
                  ${changes.map(({ endpointId }) => endpointId)}::text[],
                  ${changes.map(({ failingSince }) => failingSince)}::timestamptz[])
             AS failing(tenant, endpoint, since)
        ON tenant_id = failing.tenant AND endpoint_id = failing.endpoint
      ORDER BY tenant_id, endpoint_id FOR UPDATE OF webhook_queues
    )
    UPDATE webhook_queues AS queue SET failing_since = locked.since FROM locked
    WHERE queue.tenant_id = locked.tenant_id AND queue.endpoint_id = locked.endpoint_id`);
}

async function saveAttempts(tx: Transaction, outcomes: Outcome[]): Promise<void> {
  const rows = outcomes.map((outcome) => ({
    tenant_id: outcome.tenantId,
    endpoint_id: outcome.endpointId,
    created_at: outcome.createdAt,
    sequence: outcome.sequence,
    status: outcome.status,
    due_at: outcome.dueAt,
    settled_at: outcome.settledAt,
    failures: outcome.failures,
    at: new Date(outcome.at),
    status_code: outcome.statusCode,
    latency_ms: outcome.latencyMs,
    error: outcome.error,
    excerpt: outcome.excerpt,
  }));
  await tx.query(sql`
    WITH outcome AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS outcome(
        tenant_id text, endpoint_id text, created_at timestamptz, sequence bigint, status text,
        due_at timestamptz, settled_at timestamptz, failures int, at timestamptz,
        status_code int, latency_ms int, error text, excerpt text)
    ), recorded AS (
      UPDATE webhook_deliveries AS delivery /* all tenants */ SET
        status = outcome.status, due_at = outcome.due_at, settled_at = outcome.settled_at,
        failures = outcome.failures, attempts = delivery.attempts + 1
      FROM outcome
      WHERE delivery.tenant_id = outcome.tenant_id
        AND delivery.endpoint_id = outcome.endpoint_id
        AND delivery.created_at = outcome.created_at AND delivery.sequence = outcome.sequence
      RETURNING delivery.tenant_id, delivery.endpoint_id, delivery.sequence, delivery.attempts
    )
    INSERT INTO webhook_attempts
      (tenant_id, endpoint_id, sequence, number, at, status_code, latency_ms, error, excerpt)
    SELECT recorded.tenant_id, recorded.endpoint_id, recorded.sequence, recorded.attempts,
           outcome.at, status_code, latency_ms, error, excerpt
    FROM recorded
    JOIN outcome ON outcome.tenant_id = recorded.tenant_id
      AND outcome.endpoint_id = recorded.endpoint_id AND outcome.sequence = recorded.sequence
    ON CONFLICT DO NOTHING`);
}

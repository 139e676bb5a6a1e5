import { lastOfEach } from '../../../api/batches.ts';
import type { Services } from '../../../api/context.ts';
import { type Queryable, sql, type Transaction } from '../../../platform/database/database.ts';
import { type EndpointRow, endpointColumns, presentEndpoint } from '../endpoints/endpoint-row.ts';
import { queueKey } from '../queues.ts';
import type { AttemptOutcome } from './outcome.ts';

/**
 * Stores the outcomes of attempts to any number of endpoints, usually in one statement. Rows are
 * locked in the same order as in operations: endpoints, queues, deliveries. Endpoints and queues are each
 * locked in the order of their keys.
 */
export async function recordOutcomes(ctx: Services, outcomes: AttemptOutcome[]): Promise<void> {
  const disabling = lastOfEach(
    outcomes.filter(({ disableReason }) => disableReason !== undefined),
    queueKey,
  ).toSorted((a, b) => (queueKey(a) < queueKey(b) ? -1 : 1));
  const changed = lastOfEach(
    outcomes.filter(({ changesFailingSince }) => changesFailingSince),
    queueKey,
  );
  if (disabling.length + changed.length === 0) return saveAttempts(ctx.db, outcomes);
  await ctx.db.transaction(async (tx) => {
    for (const outcome of disabling) await disableEndpoint(ctx, tx, outcome);
    if (changed.length > 0) await saveFailingSince(tx, changed);
    await saveAttempts(tx, outcomes);
  });
}

/** Disables an endpoint and publishes the event, unless the endpoint is already disabled. */
async function disableEndpoint(
  ctx: Services,
  tx: Transaction,
  outcome: AttemptOutcome,
): Promise<void> {
  const { tenantId, endpointId, disableReason: reason } = outcome;
  const [row] = await tx.query<EndpointRow>(sql`
    UPDATE webhook_endpoints /* all tenants, background */ SET disabled = true, updated_at = ${new Date(ctx.clock.now())}
    WHERE tenant_id = ${tenantId} AND id = ${endpointId} AND NOT disabled
    RETURNING ${endpointColumns}`);
  if (!row) return;
  const data = { ...presentEndpoint({ ...ctx, tenantId }, row), reason };
  await ctx.events.append(tx, tenantId, [{ type: 'endpoint.disabled', channels: [], data }]);
}

async function saveFailingSince(tx: Transaction, changed: AttemptOutcome[]): Promise<void> {
  const rows = changed.map(({ tenantId, endpointId, failingSince }) => {
    return { tenantId, endpointId, failingSince };
  });
  await tx.query(sql`
    WITH locked AS MATERIALIZED (
      SELECT tenant_id, endpoint_id, "failingSince" FROM webhook_queues /* all tenants, background */
      JOIN json_to_recordset(${JSON.stringify(rows)}::json) AS changed(
          "tenantId" text, "endpointId" text, "failingSince" timestamptz)
        ON tenant_id = "tenantId" AND endpoint_id = "endpointId"
      ORDER BY tenant_id, endpoint_id FOR UPDATE OF webhook_queues
    )
    UPDATE webhook_queues AS queue SET failing_since = "failingSince" FROM locked
    WHERE queue.tenant_id = locked.tenant_id AND queue.endpoint_id = locked.endpoint_id`);
}

async function saveAttempts(db: Queryable, outcomes: AttemptOutcome[]): Promise<void> {
  await db.query(sql`
    WITH outcome AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(outcomes)}::json) AS outcome(
        "tenantId" text, "endpointId" text, "createdAt" timestamptz, sequence bigint,
        "wasDueAt" timestamptz, status text, "dueAt" timestamptz, "settledAt" timestamptz,
        failures int, at timestamptz, "statusCode" int, "latencyMs" int, error text, excerpt text)
    ), recorded AS (
      UPDATE webhook_deliveries AS delivery /* all tenants, background */ SET
        attempts = delivery.attempts + 1,
        status = CASE WHEN ${isUnchanged} THEN outcome.status ELSE delivery.status END,
        due_at = CASE WHEN ${isUnchanged} THEN outcome."dueAt" ELSE delivery.due_at END,
        settled_at = CASE WHEN ${isUnchanged} THEN outcome."settledAt" ELSE delivery.settled_at END,
        failures = CASE WHEN ${isUnchanged} THEN outcome.failures ELSE delivery.failures END
      FROM outcome
      WHERE delivery.tenant_id = outcome."tenantId" AND delivery.endpoint_id = outcome."endpointId"
        AND delivery.created_at = outcome."createdAt" AND delivery.sequence = outcome.sequence
      RETURNING delivery.tenant_id, delivery.endpoint_id, delivery.sequence, delivery.attempts,
                outcome.at, "statusCode", "latencyMs", error, excerpt
    )
    INSERT INTO webhook_attempts
      (tenant_id, endpoint_id, sequence, number, at, status_code, latency_ms, error, excerpt)
    SELECT * FROM recorded ON CONFLICT DO NOTHING`);
}

/** SQL: whether, during the attempt, no resend was requested and no other worker settled the delivery. */
const isUnchanged = sql`delivery.due_at = outcome."wasDueAt"`;

import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { PresentedAttempt } from '../schema.ts';

export interface AttemptRow {
  endpointId: string;
  sequence: string;
  at: Date;
  statusCode: number | null;
  latencyMs: number;
  error: string | null;
  excerpt: string | null;
}

/** The attempts of each delivery, in their order: one statement for all of them. */
export async function selectAttempts(
  db: Queryable,
  tenantId: string,
  deliveries: Array<{ endpointId: string; sequence: string }>,
): Promise<AttemptRow[][]> {
  if (deliveries.length === 0) return [];
  const rows = await db.query<AttemptRow>(sql`
    SELECT endpoint_id AS "endpointId", attempt.sequence::text, at, status_code AS "statusCode",
           latency_ms AS "latencyMs", error, excerpt
    FROM webhook_attempts AS attempt
    JOIN unnest(${deliveries.map(({ endpointId }) => endpointId)}::text[],
                ${deliveries.map(({ sequence }) => sequence)}::bigint[])
           AS wanted(endpoint, sequence)
      ON endpoint_id = wanted.endpoint AND attempt.sequence = wanted.sequence
    WHERE tenant_id = ${tenantId}
    ORDER BY number`);
  const keyOf = (row: { endpointId: string; sequence: string }) =>
    `${row.endpointId}/${row.sequence}`;
  const byDelivery = Map.groupBy(rows, keyOf);
  return deliveries.map((delivery) => byDelivery.get(keyOf(delivery)) ?? []);
}

export const presentAttempt = (row: AttemptRow): PresentedAttempt => ({
  at: row.at.getTime(),
  statusCode: row.statusCode,
  latencyMs: row.latencyMs,
  error: row.error,
  excerpt: row.excerpt,
});

import type { Services } from '../../../api/context.ts';
import { type Database, type Sql, sql } from '../../../platform/database/database.ts';
import { earliestDue } from '../queues.ts';
import type { ClaimedQueue, EndpointQueue } from './endpoint-queue.ts';

/** A worker that has not renewed its lease for this long is dead. */
const LEASE_SECONDS = 6;
/** The time after which a worker checks a claimed queue again, even if nothing has changed. */
const RECHECK_INTERVAL = sql`interval '10 seconds'`;

/**
 * Claims due queues without an owner, the longest due first, and reclaims changed queues that the
 * worker owns. The cost depends on the number of due endpoints, not on the number of their
 * deliveries.
 *
 * @param limit the most queues without an owner to claim
 * @param fullTenants tenants whose queues are left to other workers
 */
export const claimQueues = (
  db: Database,
  now: Date,
  limit: number,
  fullTenants: string[],
): Promise<ClaimedQueue[]> => {
  const dueBefore = sql`(${earliestDue(now)}) + interval '1 millisecond'`;
  return db.query<ClaimedQueue>(sql`
    WITH owned AS MATERIALIZED (
      SELECT tenant_id, endpoint_id FROM webhook_queues /* all tenants, background */
      WHERE owner = ${db.id} AND next_at <= ${now} FOR UPDATE SKIP LOCKED
    ), free AS MATERIALIZED (
      SELECT tenant_id, endpoint_id FROM webhook_queues /* all tenants, background */
      WHERE owner IS NULL AND next_at <= ${now} AND tenant_id <> ALL(${fullTenants})
      ORDER BY next_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE webhook_queues AS queue SET
      owner = ${db.id}, last_due_at = ${dueBefore}, next_at = ${dueBefore} + ${RECHECK_INTERVAL}
    FROM (TABLE owned UNION ALL TABLE free) AS due
    WHERE queue.tenant_id = due.tenant_id AND queue.endpoint_id = due.endpoint_id
    RETURNING queue.tenant_id AS "tenantId", queue.endpoint_id AS "endpointId",
              version::float8 AS version, last_due_at AS "dueBefore", tokens, tokens_at AS "tokensAt",
              failing_since AS "failingSince"`);
};

/**
 * Releases queues, and stores what is left of their endpoints' rate limits. The queue of a disabled
 * endpoint is not due until a change wakes it.
 */
export async function releaseQueues(
  db: Database,
  queues: EndpointQueue[],
  now: Date,
): Promise<void> {
  const states = queues.map(({ tenantId, endpointId, version, bucket, destination }) => {
    const { tokens, at } = bucket.snapshot;
    // JSON has no infinity: the bucket of an endpoint without a limit becomes null.
    return { tenantId, endpointId, version, tokens, tokensAt: new Date(at), isOff: !destination };
  });
  await db.query(sql`
    WITH released AS MATERIALIZED (
      SELECT queue.tenant_id, queue.endpoint_id, done.tokens, "tokensAt", "isOff",
             -- After a change since the last claim, there may be deliveries that this statement does not see.
             CASE WHEN queue.version <> done.version THEN LEAST(next_at, ${now}) END AS changed_at
      FROM json_to_recordset(${JSON.stringify(states)}::json) AS done(
        "tenantId" text, "endpointId" text, version bigint, tokens float8,
        "tokensAt" timestamptz, "isOff" boolean)
      JOIN webhook_queues AS queue /* all tenants, background */
        ON queue.tenant_id = "tenantId" AND queue.endpoint_id = "endpointId"
      WHERE queue.owner = ${db.id}
      ORDER BY queue.tenant_id, queue.endpoint_id FOR UPDATE OF queue
    )
    UPDATE webhook_queues AS queue SET
      owner = NULL, tokens = released.tokens, tokens_at = "tokensAt",
      next_at = LEAST(changed_at, CASE WHEN NOT "isOff" THEN (
        SELECT GREATEST(due_at, ${now}::timestamptz) FROM webhook_deliveries AS delivery
        WHERE delivery.tenant_id = released.tenant_id
          AND delivery.endpoint_id = released.endpoint_id AND status = 'pending'
        ORDER BY due_at LIMIT 1) END)
    FROM released
    WHERE queue.tenant_id = released.tenant_id AND queue.endpoint_id = released.endpoint_id`);
}

/**
 * Renews the worker's lease.
 *
 * @returns false if the lease had expired, so that the worker has lost its queues
 */
export async function renewLease(db: Database): Promise<boolean> {
  const [row] = await db.query<{ isRenewed: boolean }>(sql`
    INSERT INTO webhook_workers /* all tenants, background */ (id, seen_at) VALUES (${db.id}, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at
    RETURNING xmax <> 0 AS "isRenewed"`);
  return row?.isRenewed ?? false;
}

/** SQL: whether the owner of a queue no longer exists. */
const isOrphaned = sql`
  owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM webhook_workers WHERE id = webhook_queues.owner)`;

/** Releases the queues of workers whose lease has expired, so that other workers claim them. */
export async function releaseExpiredLeases({ db, clock }: Pick<Services, 'db' | 'clock'>) {
  await db.query(sql`
    DELETE FROM webhook_workers /* all tenants, background */
    WHERE seen_at < clock_timestamp() - make_interval(secs => ${LEASE_SECONDS})`);
  await db.query(sql`
    UPDATE webhook_queues /* all tenants, background */
    SET owner = NULL, next_at = ${new Date(clock.now())} WHERE ${isOrphaned}`);
}

/** SQL: when the next lease expires unless it is renewed; 0, which is now, if a queue's owner no longer exists. */
export const nextLeaseExpiry = (): Sql => sql`
  SELECT CASE
    WHEN EXISTS (SELECT FROM webhook_queues WHERE ${isOrphaned}) THEN 0
    ELSE (SELECT 1000 * (${LEASE_SECONDS}::float8 + extract(epoch FROM min(seen_at))::float8)
          FROM webhook_workers)
  END`;

/** SQL: when the next queue without an owner is due. */
export const nextQueueDue = (): Sql => sql`
  SELECT extract(epoch FROM min(next_at)) * 1000 FROM webhook_queues
  WHERE owner IS NULL AND next_at IS NOT NULL`;

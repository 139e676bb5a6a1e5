import type { Services } from '../../api/context.ts';
import { limitsOf, type OwnQuotas, ownQuotas } from '../../api/quotas/limits.ts';
import { PAUSE_FACTOR } from '../../api/quotas/usage-rows.ts';
import { sql } from '../../platform/database/database.ts';
import { storedBytes } from './stored-bytes.ts';

/** A process leases a key for this long to measure its storage. No measurement takes that long. */
const LEASE_MS = 600_000;
/** The time until the next measurement if nothing is stored meanwhile. */
const IDLE_INTERVAL_MS = 3_600_000;
/** The time until the next measurement if the quota is used up. */
const FULL_INTERVAL_MS = 60_000;

interface DueKey {
  tenantId: string;
  /** The end of the lease. If content is stored meanwhile, the next measurement may be due earlier. */
  leasedUntil: Date;
  /** The bytes accepted since the last measurement, as counted when the current one started. */
  acceptedBytes: number;
  quotas: OwnQuotas;
}

/** SQL: the time at which the next measurement is due, in epoch milliseconds. */
export const nextMeasurementDue = () =>
  sql`SELECT extract(epoch FROM min(measure_due_at)) * 1000 FROM quota_usages`;

/** Measures the storage of keys with a storage quota, one after the other. */
export async function measureStorage(ctx: Services): Promise<void> {
  for (;;) {
    const dueKey = await claimNext(ctx);
    if (!dueKey) return;
    const limit = limitsOf(ctx.quotas.defaults, dueKey.quotas)?.storage;
    if (limit === undefined) await stopMeasuring(ctx, dueKey.tenantId);
    else await measure(ctx, dueKey, limit);
  }
}

/** Claims a key with a lease, so that no transaction stays open during the measurement. */
async function claimNext({ db, clock }: Services): Promise<DueKey | undefined> {
  const now = clock.now();
  const leasedUntil = new Date(now + LEASE_MS);
  const [dueKey] = await db.query<Omit<DueKey, 'leasedUntil'>>(sql`
    UPDATE quota_usages used SET measure_due_at = ${leasedUntil}
    FROM api_keys k
    WHERE k.id = used.tenant_id AND used.tenant_id = (
      SELECT tenant_id FROM quota_usages /* all tenants, background */
      WHERE measure_due_at <= ${new Date(now)}
      ORDER BY measure_due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING used.tenant_id AS "tenantId", used.accepted_bytes::float8 AS "acceptedBytes",
      ${ownQuotas}`);
  return dueKey && { ...dueKey, leasedUntil };
}

async function measure(ctx: Services, dueKey: DueKey, limit: number): Promise<void> {
  const { db, clock } = ctx;
  const { tenantId, acceptedBytes, leasedUntil } = dueKey;
  const startedAt = performance.now();
  const bytes = await storedBytes(db, tenantId);
  const tookMs = Math.ceil(performance.now() - startedAt);
  const intervalMs = bytes >= limit ? FULL_INTERVAL_MS : IDLE_INTERVAL_MS;
  const next = new Date(clock.now() + Math.max(intervalMs, PAUSE_FACTOR * tookMs));
  // Bytes that were accepted during the measurement stay counted. If they made the next measurement due before
  // the end of the lease, that due time is kept.
  await db.query(sql`
    UPDATE quota_usages SET measured_bytes = ${bytes}, measure_ms = ${tookMs},
      accepted_bytes = GREATEST(0, accepted_bytes - ${acceptedBytes}),
      measure_due_at = CASE WHEN measure_due_at < ${leasedUntil}::timestamptz
        THEN measure_due_at ELSE ${next}::timestamptz END
    WHERE tenant_id = ${tenantId}`);
}

async function stopMeasuring({ db }: Services, tenantId: string): Promise<void> {
  await db.query(sql`
    UPDATE quota_usages SET measure_due_at = NULL, measured_bytes = 0, accepted_bytes = 0
    WHERE tenant_id = ${tenantId}`);
}

import type { Services } from '../../api/context.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { MAX_RUN_MS } from '../../platform/database/delete-expired-rows.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The most rows that one statement deletes, so that it blocks nobody. */
const BATCH_SIZE = 1_000;

export interface RetentionContext {
  db: Queryable;
  config: Pick<Services['config'], 'eventRetentionDays'>;
  clock: Services['clock'];
}

/** Returns the time since which events, deliveries and attempts are kept. */
export const keptSince = ({ config, clock }: Pick<RetentionContext, 'config' | 'clock'>): Date =>
  new Date(clock.now() - config.eventRetentionDays * DAY_MS);

/** Deletes events that are older than the setting allows, oldest first, in small batches. */
export async function deleteExpiredEvents(
  ctx: RetentionContext,
  runMs = MAX_RUN_MS,
): Promise<void> {
  const endAt = performance.now() + runMs;
  while ((await deleteOldest(ctx.db, keptSince(ctx))) === BATCH_SIZE && performance.now() < endAt);
}

/**
 * Deletes the oldest events that all readers of the log have read. The DELETE repeats the bounds of `sequence`,
 * because PostgreSQL may read the whole log to find rows by their keys alone.
 *
 * @returns how many events were deleted
 */
async function deleteOldest(db: Queryable, before: Date): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    WITH oldest AS MATERIALIZED (
      SELECT tenant_id, sequence, created_at FROM events /* all tenants, background */
      WHERE sequence <= (SELECT COALESCE(min(sequence), 0) FROM event_readers)
      ORDER BY events.sequence LIMIT ${BATCH_SIZE}
    ), removed AS (
      DELETE FROM events USING oldest
      WHERE events.tenant_id = oldest.tenant_id AND events.sequence = oldest.sequence
        AND events.sequence BETWEEN (SELECT min(sequence) FROM oldest)
                                AND (SELECT max(sequence) FROM oldest)
        AND oldest.created_at < ${before}
      RETURNING events.tenant_id, events.sequence
    ), remembered AS (
      INSERT INTO event_retention AS retention (tenant_id, removed_through)
      SELECT tenant_id, max(sequence) FROM removed GROUP BY tenant_id ORDER BY tenant_id
      ON CONFLICT (tenant_id) DO UPDATE
        SET removed_through = GREATEST(retention.removed_through, EXCLUDED.removed_through)
    )
    SELECT count(*)::int AS count FROM removed`);
  return row?.count ?? 0;
}

/** Whether events after this number were removed, so that a reader who continues there would miss them. */
export async function isRemovedAfter(
  db: Queryable,
  tenantId: string,
  sequence: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    SELECT 1 FROM event_retention
    WHERE tenant_id = ${tenantId} AND removed_through > ${sequence}::bigint`);
  return rows.length > 0;
}

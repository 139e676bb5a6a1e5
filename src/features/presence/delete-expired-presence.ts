import type { Services } from '../../api/context.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { goneBefore } from './timeouts.ts';

/** A statement deletes few rows, so that none takes long; each run executes at most this many. */
const STEP = 1_000;
const STEPS = 50;

/** Deletes expired entries, which reads leave out already, and processes that died before them. */
export async function deleteExpiredPresence({
  db,
  clock,
}: Pick<Services, 'clock'> & { db: Queryable }): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    if ((await removeStep(db, goneBefore(clock.now()))) < STEP) break;
  }
  await db.query(sql`
    DELETE FROM presence_processes process WHERE is_dead AND NOT EXISTS (
      SELECT 1 FROM presence_connections /* all tenants, background */ WHERE process_id = process.id)`);
}

/**
 * The bounds of `seen_at` keep the deletion to what was picked: with the keys alone, PostgreSQL may
 * read the whole table to find them.
 */
async function removeStep(db: Queryable, before: Date): Promise<number> {
  const removed = await db.query(sql`
    WITH gone AS MATERIALIZED (
      SELECT tenant_id, organization_id, document_id, user_id, seen_at
      FROM presence /* all tenants, background */ WHERE seen_at <= ${before}
      ORDER BY seen_at LIMIT ${STEP} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM presence USING gone
    WHERE presence.tenant_id = gone.tenant_id AND presence.organization_id = gone.organization_id
      AND presence.document_id = gone.document_id AND presence.user_id = gone.user_id
      AND presence.seen_at BETWEEN (SELECT min(seen_at) FROM gone) AND (SELECT max(seen_at) FROM gone)
    RETURNING 1`);
  return removed.length;
}

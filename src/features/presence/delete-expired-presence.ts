import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { goneBefore } from './timeouts.ts';

/** The most rows that one statement deletes, so that none takes long. */
const BATCH = 5_000;

/** Deletes expired entries, which reads leave out already. */
export async function deleteExpiredPresence({
  db,
  clock,
}: Pick<Services, 'db' | 'clock'>): Promise<void> {
  await db.query(sql`
    DELETE FROM presence /* all tenants, background */
    WHERE ctid IN (SELECT ctid FROM presence WHERE seen_at <= ${goneBefore(clock.now())}
                   LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`);
  await db.query(sql`
    DELETE FROM presence_processes process WHERE is_dead AND NOT EXISTS (
      SELECT 1 FROM presence_connections /* all tenants, background */ WHERE process_id = process.id)`);
}

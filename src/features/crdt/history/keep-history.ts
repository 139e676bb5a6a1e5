import type { Services } from '../../../api/context.ts';
import { type Queryable, type Sql, sql } from '../../../platform/database/database.ts';
import { deleteExpiredRows } from '../../../platform/database/delete-expired-rows.ts';
import { timedRows } from '../log/update-framing.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export type HistoryContext = Pick<Services, 'clock'> & {
  config: Pick<Services['config'], 'historyRetentionDays'>;
};

/** Returns the time since which the history is kept. */
const keptSince = ({ clock, config }: HistoryContext): Date =>
  new Date(clock.now() - config.historyRetentionDays * DAY_MS);

/**
 * SQL that adds to the history what a compaction removes from the log. It reads the common table expressions
 * `previous` (the editor before), `compacted` (the editor after) and `removed` (rows of the log).
 *
 * A row of the history is a segment of an editor's past: a snapshot as its base, and the updates after it.
 * A compaction continues the last segment until the segment's updates outgrow its base, so that a large
 * document is not copied at each compaction. There is no gap between two segments, since each begins
 * with the last update of the one before it.
 */
export const historyInsertion = (ctx: HistoryContext, until: Date): Sql => sql`
  INSERT INTO crdt_history (tenant_id, log_id, base_version, base, since, until, authors, updates)
  SELECT p.tenant_id, p.log_id, coalesce(last.base_version, p.snapshot_version), p.snapshot,
         p.updated_at, ${until}, coalesce(kept.authors, '{}'), coalesce(kept.updates, '')
  FROM compacted JOIN previous p USING (tenant_id, log_id)
  CROSS JOIN (
    SELECT ${timedRows} AS updates,
           array_agg(DISTINCT u.user_id) FILTER (WHERE u.user_id IS NOT NULL) AS authors
    FROM removed u
  ) kept
  LEFT JOIN LATERAL (
    SELECT h.base_version FROM crdt_history h
    WHERE h.tenant_id = p.tenant_id AND h.log_id = p.log_id AND h.until = p.updated_at
      AND h.since > ${keptSince(ctx)} AND octet_length(h.updates) < octet_length(h.base)
    ORDER BY h.base_version DESC LIMIT 1
  ) last ON true
  WHERE ${ctx.config.historyRetentionDays}::int > 0
  ON CONFLICT (tenant_id, log_id, base_version) DO UPDATE
  SET until = excluded.until, updates = crdt_history.updates || excluded.updates,
      authors = ARRAY(SELECT DISTINCT unnest(crdt_history.authors || excluded.authors))`;

/** Deletes segments of the past that are older than the retention time. */
export const deleteOldHistory = (ctx: HistoryContext & { db: Queryable }): Promise<void> =>
  deleteExpiredRows(ctx.db, HISTORY_TABLE, keptSince(ctx));

const HISTORY_TABLE = {
  table: sql`crdt_history`,
  key: ['tenant_id', 'log_id', 'base_version'],
  time: 'until',
  // One statement deletes few rows, since each may hold megabytes.
  batchSize: 100,
};

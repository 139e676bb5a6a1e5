import { join, type Queryable, raw, type Sql, sql } from './database.ts';

/** The most rows that one statement deletes, so that none takes long or blocks others. */
const STEP = 1_000;
/** After this time, rows are left to the next run. A stop of the process waits longer than this. */
export const RUN_MS = 5_000;

interface ExpiringTable {
  table: Sql;
  /** The columns of the primary key. */
  key: string[];
  /** The column with the time, by which an index finds the rows. */
  time: string;
  step?: number;
}

/**
 * Deletes rows of all tenants whose time is not after `before`, the oldest first, in small steps.
 * The DELETE repeats the bounds of the time, because PostgreSQL may read the whole table to find
 * rows by their keys alone.
 */
export async function deleteExpiredRows(
  db: Queryable,
  { table, key, time, step = STEP }: ExpiringTable,
  before: Date,
): Promise<void> {
  const at = raw(time);
  const columns = key.map((name) => raw(name));
  const isDue = columns.map((column) => sql`expired.${column} = due.${column}`);
  const endAt = performance.now() + RUN_MS;
  let removed: object[];
  do {
    removed = await db.query(sql`
      WITH due AS MATERIALIZED (
        SELECT ${join(columns)}, ${at} FROM ${table} /* all tenants, background */
        WHERE ${at} <= ${before}
        ORDER BY ${at} LIMIT ${step} FOR UPDATE SKIP LOCKED
      )
      DELETE FROM ${table} AS expired USING due
      WHERE ${join(isDue, ' AND ')}
        AND expired.${at} BETWEEN (SELECT min(${at}) FROM due) AND (SELECT max(${at}) FROM due)
      RETURNING 1`);
  } while (removed.length === step && performance.now() < endAt);
}

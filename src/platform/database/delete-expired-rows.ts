import { join, type Queryable, raw, type Sql, sql } from './database.ts';

/** The most rows that one statement deletes, so that none takes long or blocks others. */
const BATCH_SIZE = 1_000;
/** After this time, the remaining rows are left to the next run: a process that stops waits for a run to end. */
export const MAX_RUN_MS = 5_000;

interface ExpiringTable {
  table: Sql;
  /** The columns of the primary key. */
  key: string[];
  /** The indexed column with the time. */
  time: string;
  batchSize?: number;
}

/**
 * Deletes the rows whose time is not after `before`, for all tenants, the oldest first, in small batches.
 * The DELETE repeats the bounds of the time, because PostgreSQL may read the whole table to find
 * rows by their keys alone.
 */
export async function deleteExpiredRows(
  db: Queryable,
  { table, key, time, batchSize = BATCH_SIZE }: ExpiringTable,
  before: Date,
): Promise<void> {
  const timeColumn = raw(time);
  const columns = key.map((name) => raw(name));
  const isDue = columns.map((column) => sql`expired.${column} = due.${column}`);
  const deadline = performance.now() + MAX_RUN_MS;
  let removed: object[];
  do {
    removed = await db.query(sql`
      WITH due AS MATERIALIZED (
        SELECT ${join(columns)}, ${timeColumn} FROM ${table} /* all tenants, background */
        WHERE ${timeColumn} <= ${before}
        ORDER BY ${timeColumn} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
      )
      DELETE FROM ${table} AS expired USING due
      WHERE ${join(isDue, ' AND ')}
        AND expired.${timeColumn} BETWEEN (SELECT min(${timeColumn}) FROM due)
                                      AND (SELECT max(${timeColumn}) FROM due)
      RETURNING 1`);
  } while (removed.length === batchSize && performance.now() < deadline);
}

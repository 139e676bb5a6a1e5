import { Pool } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Sql } from 'sql-template-tag';
import type { Database } from './database.ts';
import type { Queryable } from './transaction.ts';

/** A transaction that reads the database as it is at one moment. */
export interface Snapshot extends Queryable {
  /**
   * Streams rows of one column as lines, however many and however large they are.
   *
   * @param rows a statement without values, whose column is JSON and so has no control characters
   */
  copy(rows: Sql): AsyncIterable<Buffer>;
}

/** With control characters as quote and delimiter, COPY writes JSON unchanged. */
const AS_LINES = String.raw`(FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')`;

/**
 * Runs work on a snapshot. The snapshot has a connection of its own, without pipelining and without a
 * time limit for statements: COPY does not work on a pipelined connection, and may take long.
 */
export async function withSnapshot<Result>(
  { db, signal }: { db: Database; signal: AbortSignal },
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const pool = new Pool({ ...db.pool.options, max: 1, pipeline: false });
  const client = await pool.connect();
  // A lost connection also fails the running statement, which reports it.
  client.on('error', () => undefined);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
    return await work({
      query: async ({ text, values }) => (await client.query(text, values)).rows,
      copy: ({ text }) => client.query(copyTo(`COPY (${text}) TO STDOUT ${AS_LINES}`, { signal })),
    });
  } finally {
    // Closing the connection makes PostgreSQL end the transaction and a copy that nobody reads.
    client.release(true);
    await pool.end();
  }
}

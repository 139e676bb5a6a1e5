import { expect } from 'vitest';
import { databaseClient } from './database-client.ts';
import { eventually } from './eventually.ts';

/** A statement with its values. */
export type Held = [statement: string, values?: unknown[]];

/** Opens a transaction that holds up others, by the locks of its first statement, until its release. */
export async function holdTransaction(databaseUrl: string, ...held: Held) {
  const client = await databaseClient(databaseUrl);
  await client.query('BEGIN');
  await client.query(...held);
  let isOver = false;
  return {
    query: (...more: Held) => client.query(...more),
    /** Waits until this many statements that contain these words wait for locks. */
    async holdsUp(count: number, words = ''): Promise<void> {
      // In a transaction, PostgreSQL shows the activity of its first look.
      const watcher = await databaseClient(databaseUrl);
      await eventually(async () => {
        const { rowCount } = await watcher.query(
          `SELECT FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND datname = current_database()
             AND position($1 IN query) > 0`,
          [words],
        );
        expect(rowCount).toBe(count);
      });
      await watcher.end();
    },
    async release(): Promise<void> {
      if (isOver) return;
      isOver = true;
      await client.query('COMMIT');
      await client.end();
    },
  };
}

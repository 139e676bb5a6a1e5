import { expect, it } from 'vitest';
import { Database, sql } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createDatabase } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

/** More than the five after which PostgreSQL may keep the plan of a prepared statement. */
const EXECUTIONS = 10;

it('a connection that plans for a small table plans anew when the table has grown', async () => {
  const url = await createDatabase();
  const log = createLogger('silent');
  const db = new Database({ url, poolSize: 1, log, planLifetimeMs: 0 });
  whenFileEnds(() => db.close());
  const addReaders = (prefix: string, count: number) =>
    db.query(sql`
      INSERT INTO event_readers (name, sequence)
      SELECT ${prefix}::text || n, 0 FROM generate_series(1, ${count}::int) n`);
  const planOf = async (text: string) => {
    const client = await db.pool.connect();
    const prepared = await client.query(
      'SELECT name FROM pg_prepared_statements WHERE statement = $1',
      [text],
    );
    const { rows } = await client.query(`EXPLAIN EXECUTE ${prepared.rows[0].name} ('a1')`);
    client.release();
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const lookUp = sql`SELECT sequence::int FROM event_readers WHERE name = ${'a1'}`;
  await addReaders('a', 1);
  await db.pool.query('VACUUM ANALYZE event_readers');
  for (let n = 0; n < EXECUTIONS; n++) await db.query(lookUp);
  expect(await planOf(lookUp.text)).toContain('Seq Scan');
  await addReaders('b', 10_000);
  expect(await planOf(lookUp.text)).toContain('Index');
});

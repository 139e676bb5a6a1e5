import { expect, it } from 'vitest';
import { sql } from '../../src/platform/database/database.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { openDatabase } from '../support/database-client.ts';
import { createDatabase } from '../support/server.ts';

const openConnection = async () => openDatabase(await createDatabase(), { planLifetimeMs: 0 });

it('a connection keeps the plan of a statement for any values', async () => {
  const db = await openConnection();
  for (const id of ['a', 'b', 'c']) {
    await db.query(sql`SELECT 1 FROM api_keys /* all tenants */ WHERE id = ANY(${[id]})`);
  }
  const plans = await db.query(sql`
    SELECT generic_plans::int AS "forAny", custom_plans::int AS "forOne" FROM pg_prepared_statements
    WHERE statement LIKE '% ANY(%' AND statement NOT LIKE '%custom_plans%'`);
  expect(plans).toEqual([{ forAny: 3, forOne: 0 }]);
});

it('processes that share a connection, as behind a pooler, each run their own statements', async () => {
  const db = await openConnection();
  const client = await db.pool.connect();
  const [one, two] = [new Statements(), new Statements()];
  expect(await one.run(client, sql`SELECT 'one' AS name`)).toEqual([{ name: 'one' }]);
  expect(await two.run(client, sql`SELECT 'two' AS name`)).toEqual([{ name: 'two' }]);
  client.release();
});

it('a connection that plans for a small table plans anew when the table has grown', async () => {
  const db = await openConnection();
  const addReaders = (prefix: string, count: number) =>
    db.query(sql`
      INSERT INTO event_readers (name, sequence)
      SELECT ${prefix}::text || n, 0 FROM generate_series(1, ${count}::int) n`);
  const planOf = async (text: string) => {
    const prepared = 'SELECT name FROM pg_prepared_statements WHERE statement = $1';
    const [{ name }] = (await db.pool.query(prepared, [text])).rows;
    const { rows } = await db.pool.query(`EXPLAIN EXECUTE ${name} ('a1')`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const lookUp = sql`SELECT sequence::int FROM event_readers WHERE name = ${'a1'}`;
  await addReaders('a', 1);
  await db.pool.query('VACUUM ANALYZE event_readers');
  await db.query(lookUp);
  expect(await planOf(lookUp.text)).toContain('Seq Scan');
  await addReaders('b', 10_000);
  expect(await planOf(lookUp.text)).toContain('Index');
});

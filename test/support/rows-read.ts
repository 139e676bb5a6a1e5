import { escapeLiteral, type Pool } from 'pg';
import type { Queryable, Sql } from '../../src/platform/database/database.ts';
import { SESSION_SETTINGS } from '../../src/platform/database/open-pool.ts';

interface Node {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

/** The rows that a plan read from tables, including those that it filtered out. */
function rowsOf(node: Node): number {
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const own = node['Relation Name'] ? each * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
}

const indexesOf = (node: Node): string[] => [
  ...(node['Index Name'] ? [node['Index Name']] : []),
  ...(node.Plans ?? []).flatMap(indexesOf),
];

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) {
    return escapeLiteral(`{${value.map((item) => JSON.stringify(String(item))).join()}}`);
  }
  return escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
}

/** A database that records its statements, and runs them by `run`. By default, they return no rows. */
export function recordingDatabase(run: Queryable['query'] = async () => []) {
  const statements: Sql[] = [];
  const query = ((statement) => {
    statements.push(statement);
    return run(statement);
  }) as Queryable['query'];
  return { db: { query }, statements };
}

/** Leaves it to a test when there are statistics: autovacuum would collect those of some tables at any moment. */
export const stopAutovacuum = (pool: Pool) =>
  pool.query(
    `DO $$ DECLARE name regclass; BEGIN
       FOR name IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
         EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', name);
       END LOOP;
     END $$`,
  );

/** The reads of each statement, by the plan for any values, which all sessions use (open-pool.ts). */
export async function readsOf(
  pool: Pool,
  statements: Sql[],
): Promise<Array<{ rows: number; blocks: number; indexes: string[] }>> {
  const client = await pool.connect();
  try {
    await client.query(`SET plan_cache_mode = ${SESSION_SETTINGS.plan_cache_mode}`);
    const reads = [];
    for (const { text, values } of statements) {
      await client.query(`PREPARE explained AS ${text}`);
      const call = `EXECUTE explained(${values.map(literal).join(', ')})`;
      const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${call}`);
      const plan: Node = rows[0]['QUERY PLAN'][0].Plan;
      const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      reads.push({ rows: rowsOf(plan), blocks, indexes: indexesOf(plan) });
      await client.query('DEALLOCATE explained');
    }
    return reads;
  } finally {
    // The connection is closed, because its settings were changed.
    client.release(true);
  }
}

/** The highest number of rows that one of the statements reads. */
export async function maxRowsRead(pool: Pool, statements: Sql[]): Promise<number> {
  return Math.max(...(await readsOf(pool, statements)).map(({ rows }) => rows));
}

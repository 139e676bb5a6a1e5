import { escapeLiteral, type Pool } from 'pg';
import type { Sql } from '../../src/platform/database/database.ts';

/** A plan for the values of a call, or one for any values: PostgreSQL may choose either. */
export const PLAN_MODES = ['force_custom_plan', 'force_generic_plan'] as const;

interface Node {
  'Relation Name'?: string;
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

function literal(value: unknown): string {
  if (Array.isArray(value)) {
    return escapeLiteral(`{${value.map((item) => JSON.stringify(String(item))).join()}}`);
  }
  return escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
}

/** The highest number of rows that one of the statements reads. */
export async function mostRowsRead(
  pool: Pool,
  statements: Sql[],
  mode: (typeof PLAN_MODES)[number],
): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query(`SET plan_cache_mode = ${mode}`);
    const counts: number[] = [];
    for (const { text, values } of statements) {
      await client.query(`PREPARE explained AS ${text}`);
      const call = `EXECUTE explained(${values.map(literal).join(', ')})`;
      const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${call}`);
      counts.push(rowsOf(rows[0]['QUERY PLAN'][0].Plan));
      await client.query('DEALLOCATE explained');
    }
    return Math.max(...counts);
  } finally {
    // The connection is closed, because its settings were changed.
    client.release(true);
  }
}

import { expect } from 'vitest';
import type { Headers } from './answers.ts';
import { eventually } from './eventually.ts';
import type { TestServer } from './server.ts';

/** Erases users, and returns the receipt. */
export async function erase(
  server: TestServer,
  headers: Headers,
  data: object,
): Promise<Record<string, number>> {
  const { jobId } = await server.ok('/v2/users/data/delete', data, headers);
  return eventually(async () => {
    const status = await server.ok('/v2/users/data/delete/status', { jobId }, headers);
    expect(status).toMatchObject({ isDeleteCompleted: true, tasksLeft: 0 });
    return status.receipt;
  });
}

/** All rows of a key, or of no key, in all tables that match a pattern, as `table: row`. */
export async function rowsMatching(
  { app }: TestServer,
  headers: Headers,
  pattern: string,
): Promise<string[]> {
  const { pool } = app.services.db;
  const { rows: tables } = await pool.query<{ name: string; tenant: string | null }>(`
    SELECT format('%I.%I', t.table_schema, t.table_name) AS name, c.column_name AS tenant
    FROM information_schema.tables t
    LEFT JOIN information_schema.columns c ON c.table_schema = t.table_schema
      AND c.table_name = t.table_name AND c.column_name = 'tenant_id'
    WHERE t.table_type = 'BASE TABLE' AND t.table_schema IN ('public', 'pgboss')`);
  const found: string[] = [];
  for (const { name, tenant } of tables) {
    // Stored keys of idempotent calls contain the API key in JSON.
    const { rows } = await pool.query<{ row: string }>(
      `SELECT t::text AS row FROM ${name} t /* all tenants */ WHERE t::text ~* $1
       ${tenant ? 'AND position($2 IN tenant_id) > 0' : 'AND $2::text IS NOT NULL'}`,
      [pattern, headers['x-svc-api-key']],
    );
    found.push(...rows.map(({ row }) => `${name.replace('public.', '')}: ${row}`));
  }
  return found;
}

/** The tables of rows. */
export const tablesOf = (rows: string[]): string[] =>
  [...new Set(rows.map((row) => row.slice(0, row.indexOf(':'))))].sort();

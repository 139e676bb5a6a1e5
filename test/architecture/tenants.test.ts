import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseClient } from '../support/database-client.ts';
import { createDatabase } from '../support/server.ts';

/** What separates the tenants: every row of a tenant has its id in its key. Exceptions have a reason. */

/** Tables whose rows belong to no tenant. */
const WITHOUT_TENANT: Record<string, string> = {
  _prisma_migrations: 'each database has its own',
  schema_requirements: 'each database has its own',
  key_sentinel: 'each database has its own: it proves SECRET_KEY',
  api_keys: 'the tenants themselves: their id is the tenant of all other tables',
  workspaces: 'own keys; a router reads them to find the database of a key',
  workspace_auth_tokens: 'go with their workspace',
  model_provider_keys: 'go with their workspace',
  event_readers: 'each database has its own log, with its own readers',
  event_reader_partitions: 'positions of the readers of a log',
  webhook_workers: 'each database has its own queues, which workers own',
  presence_processes: 'processes, which serve every tenant',
  processes: 'processes, which serve every tenant',
  process_metrics: 'processes, which serve every tenant',
  logged_requests: 'processes, which serve every tenant',
  console_used_ids: 'sign-ins of operators',
  console_acts: 'acts of operators, who may have several tenants',
};

/** Foreign keys that do not go from tenant to tenant. */
const ACROSS_TENANTS: Record<string, string> = {
  api_keys_workspace_id_fkey: 'between tables without a tenant',
  event_reader_partitions_name_fkey: 'between tables without a tenant',
  model_provider_keys_workspace_id_fkey: 'between tables without a tenant',
  process_metrics_process_id_fkey: 'between tables without a tenant',
  workspace_auth_tokens_workspace_id_fkey: 'between tables without a tenant',
};

/**
 * Files outside of workers with statements that compare no tenant: its id is part of each key that they
 * look for, or an operator asks about all.
 */
const ALL_TENANTS = [
  'api/subscriptions/stream-caller.ts',
  'cli/rotate-secrets.ts',
  'console/operations/attention.ts',
  'features/memory/retrieve/find-similar.ts',
  'realtime/access/check-credentials.ts',
];

it('requests read no rows of tenants that they do not name', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => readFileSync(`src/${file}`, 'utf8').includes('/* all tenants */'));
  expect(found.sort()).toEqual(ALL_TENANTS);
});

describe('in a migrated database', () => {
  let client: Client;
  beforeAll(async () => {
    client = await databaseClient(await createDatabase());
  });

  const names = async (statement: string): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(statement);
    return rows.map(({ name }) => name).sort();
  };

  it('only these tables lack a tenant', async () => {
    const found = await names(`
      SELECT relname AS name FROM pg_class c
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')`);
    expect(found).toEqual(Object.keys(WITHOUT_TENANT).sort());
  });

  it('every key of a table of tenants contains the tenant', async () => {
    const without = await names(`
      SELECT i.indexrelid::regclass::text AS name FROM pg_index i
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = 'tenant_id'
      WHERE i.indisunique AND NOT a.attnum = ANY(i.indkey)`);
    expect(without).toEqual([]);
  });

  it('foreign keys lead from a tenant to the same tenant', async () => {
    const found = await names(`
      SELECT conname AS name FROM pg_constraint c WHERE contype = 'f' AND NOT EXISTS (
        SELECT FROM generate_subscripts(conkey, 1) AS at
        JOIN pg_attribute near ON near.attrelid = conrelid AND near.attnum = conkey[at]
        JOIN pg_attribute far ON far.attrelid = confrelid AND far.attnum = confkey[at]
        WHERE near.attname = 'tenant_id'
          AND (far.attname = 'tenant_id' OR confrelid = 'api_keys'::regclass))`);
    expect(found).toEqual(Object.keys(ACROSS_TENANTS).sort());
  });
});

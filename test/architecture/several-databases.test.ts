import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseClient } from '../support/database-client.ts';
import { createDatabase } from '../support/server.ts';

/**
 * The ties of all tenants' tables to one database. Every row of a tenant has its id in its key,
 * so tables can be spread by tenant, with Citus or over several databases (docs/scaling.md). What
 * needs more than that stands here, with its reason, and a test fails for anything new.
 */

const SOURCE = path.join(import.meta.dirname, '../../src');

/** Tables that stay in one database, or are copied to each. */
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

/** Numbers that rows of all tenants take in turn. Their order counts within a tenant alone. */
const SEQUENCES: Record<string, string> = {
  'event_outbox.position': 'the order of commits: each database counts its own',
  'events.sequence': 'the log of a database: a tenant that moves takes its newest number along',
  'memory_judgments.position': 'breaks ties of equal times',
  'notifications.position': 'breaks ties of equal times',
  'recordings.position': 'the order of one document',
  'webhook_endpoints.position': 'the order of one key',
};

/** Triggers, each of which touches rows of the tenant of its row, or notifies. */
const TRIGGERS: Record<string, string> = {
  activities_immutable: 'refuses',
  'credentials_deleted, credentials_updated': 'notify the processes of this database',
  documents_move_comment_annotations: 'changes annotations of the same document',
  notifications_remove_recipients: 'deletes recipients of the same notification',
  settings_changed: 'notifies the processes of this database',
  token_epoch_changed: 'notifies the processes of this database',
};

/** Files that find rows by their place in a table, which one node alone can do. */
const BY_PLACE: Record<string, string> = {
  'platform/events/move-events.ts':
    'the sequencer of a database moves its own outbox: by key, a move takes PostgreSQL 3 to 6 % more ' +
    'processor time, and a join with the keys was once planned to take 17 times as long',
};

/** How statements of all tenants run over several databases. */
type Plan = 'sweep' | 'log' | 'settings' | 'given' | 'operator';

/** Files and folders with statements of all tenants, and their plan. */
const ALL_TENANTS: Record<string, Plan> = {
  // A sweep looks for what is due by an index of its own: once in each database.
  'api/credentials/stream-tickets.ts': 'sweep',
  'api/idempotency/': 'sweep',
  'features/attachments/remove-files.ts': 'sweep',
  'features/crdt/deferred-events.ts': 'sweep',
  'features/directory/deletion/deletion-jobs.ts': 'sweep',
  'features/email/mail-jobs.ts': 'sweep',
  'api/idempotency/erase-responses.ts': 'sweep',
  'features/events/retention.ts': 'sweep',
  'features/memory/alerts/check-judgments.ts': 'sweep',
  'features/notifications/generate/batches.ts': 'sweep',
  'features/presence/': 'sweep',
  'features/quotas/measure-storage.ts': 'sweep',
  'features/transfer/transfers.ts': 'sweep',
  'features/webhooks/deliveries/': 'sweep',
  'features/webhooks/engine/': 'sweep',
  'platform/database/delete-expired-rows.ts': 'sweep',
  'platform/jobs/': 'sweep',
  'platform/loops/due-work.ts': 'sweep',
  // The log of events and its readers: one in each database.
  'features/webhooks/webhook-reader.ts': 'log',
  'platform/events/': 'log',
  'platform/live-bus/read-log.ts': 'log',
  // Settings of the tenants of a batch of events, or of all that use a service.
  'features/activity/': 'settings',
  'features/email/settings/email-config.ts': 'settings',
  'features/notifications/settings/notification-config.ts': 'settings',
  // Rows whose tenant is given with each, or part of each key: grouped by database.
  'api/subscriptions/stream-caller.ts': 'given',
  'features/comments/annotations/annotation-users.ts': 'given',
  'features/memory/retrieve/find-similar.ts': 'given',
  'features/notifications/generate/audience.ts': 'given',
  'features/notifications/generate/notification-reader.ts': 'given',
  'realtime/access/check-credentials.ts': 'given',
  // An operator asks this of each database.
  'cli/rotate-secrets.ts': 'operator',
  'console/operations/attention.ts': 'operator',
  'platform/processes/backlog.ts': 'operator',
};

/** Outside of workers, no request reads rows of tenants that it does not name. */
const OUTSIDE_WORKERS: ReadonlySet<Plan> = new Set(['given', 'operator']);

const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(path.join(SOURCE, file), 'utf8') }));

const filesWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

const planOf = (file: string): Plan | undefined =>
  Object.entries(ALL_TENANTS).find(([place]) => file.startsWith(place))?.[1];

describe('in the sources', () => {
  it('only the sequencer finds rows by their place', () => {
    expect(filesWith(/\bctid\b/).sort()).toEqual(Object.keys(BY_PLACE));
  });

  it('each statement of all tenants has a plan', () => {
    const files = filesWith(/\/\* all tenants(, background)? \*\//);
    expect(files.filter((file) => planOf(file) === undefined)).toEqual([]);
    const unused = Object.keys(ALL_TENANTS).filter(
      (place) => !files.some((file) => file.startsWith(place)),
    );
    expect(unused).toEqual([]);
  });

  it('requests read no rows of tenants that they do not name', () => {
    const files = filesWith(/\/\* all tenants \*\//);
    expect(files.length).toBeGreaterThan(0);
    const others = files.filter((file) => !OUTSIDE_WORKERS.has(planOf(file) ?? 'sweep'));
    expect(others).toEqual([]);
  });
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

  it('foreign keys follow no change of a key, since no key is ever changed', async () => {
    const found = await names(`
      SELECT conname AS name FROM pg_constraint
      WHERE contype = 'f' AND (confupdtype <> 'a' OR NOT convalidated)`);
    expect(found).toEqual([]);
  });

  it('tenants share only these sequences', async () => {
    const found = await names(`
      SELECT refobjid::regclass || '.' || attname AS name FROM pg_class s
      JOIN pg_depend d ON d.objid = s.oid AND d.deptype IN ('a', 'i')
      JOIN pg_attribute a ON a.attrelid = refobjid AND a.attnum = refobjsubid
      WHERE s.relkind = 'S' AND s.relnamespace = 'public'::regnamespace`);
    expect(found).toEqual(Object.keys(SEQUENCES).sort());
  });

  it('only these triggers run', async () => {
    const found = await names(
      'SELECT DISTINCT tgname AS name FROM pg_trigger WHERE NOT tgisinternal',
    );
    const known = Object.keys(TRIGGERS).flatMap((each) => each.split(', '));
    expect(found).toEqual(known.sort());
  });
});

import { describe, expect, it } from 'vitest';
import { archivedTables } from '../../src/features/archived-tables.ts';
import { MODELS } from '../support/prisma-schema.ts';
import { sourceFiles } from '../support/source-files.ts';
import { TENANT_TABLES } from '../support/tenant-guard.ts';

const TABLES = MODELS.map(({ table }) => table);

/** `DELETE FROM notifications n`, and the fragment sql`notifications t` that a helper gets as `table`. */
const WRITES = new RegExp(
  `(?:\\b(?:DELETE\\s+FROM|UPDATE|INTO|COPY)\\s+|\\b(table): sql\`)(${TABLES.join('|')})(?![\\w:'-])`,
  'g',
);

/** Helpers that change the rows of the table that they get. */
const CHANGES_ROWS = /\b(?:walkRows|removeRows|deleteExpiredRows)\(/;

/** Returns the tables that the statements in a source file write. */
function tablesWrittenIn(text: string): string[] {
  const changesRows = CHANGES_ROWS.test(text);
  return [...text.matchAll(WRITES)].flatMap(([, field, table = '']) =>
    field && !changesRows ? [] : [table],
  );
}

/**
 * Tables that several folders write, and why. Each other table has one writer, which knows the rules of its
 * rows. What must be deleted or erased with rows of others is registered by the owner, in
 * `features/dependents.ts` and `features/erasure-steps.ts`.
 */
const SHARED: Record<string, { by: string[]; reason: string }> = {
  service_settings: {
    by: ['activity', 'api-keys', 'email', 'notifications', 'webhooks'],
    reason: 'a setting lives with the feature that it configures; the row is created with the key',
  },
  api_keys: {
    by: ['api-keys', 'quotas', 'users'],
    reason: 'the quotas of a key and the count of revocations are columns of it',
  },
  events: {
    by: ['events', 'platform/events'],
    reason: 'the log is appended below all features; retention and erasure are of this feature',
  },
  quota_usages: {
    by: ['api/quotas', 'quotas'],
    reason: 'every operation counts what it adds; the feature measures',
  },
  users: {
    by: ['access', 'notifications', 'permissions', 'users'],
    reason: 'whoever is named becomes a user, with a grant or a notification in one statement',
  },
  grants: {
    by: ['access', 'permissions', 'users'],
    reason: 'the role of a user is written with the user, in one statement',
  },
  user_group_members: {
    by: ['user-groups', 'users'],
    reason: 'who is removed from an organization leaves its groups, and is deleted without any',
  },
};

/** Folders that may repair the tables of every feature. */
const OPERATORS = /^(?:console|cli)\//;

const folderOf = (file: string): string =>
  /^(?:api|platform)\/[^/]+(?=\/)|^[^/]+/.exec(file.replace(/^features\//, ''))?.[0] ?? file;

const writes = sourceFiles().flatMap(({ path, text }) =>
  tablesWrittenIn(text).map((table) => ({ table, path })),
);

/** Tables of tenants that archives do not hold, with the reason. */
const NOT_ARCHIVED: Record<string, string> = {
  auth_tokens: 'credentials of the server',
  crdt_history: 'kept for days, to restore to a moment on the same server',
  erasures: 'receipts of the server, which name jobs',
  event_outbox: 'the log of the server: a copy begins its own',
  event_retention: 'the log of the server',
  events: 'the log of the server: a copy begins its own',
  held_notifications: 'for minutes, and about events of the log',
  idempotency_keys: 'answers of the server, for a day',
  mails: 'for minutes, and about events of the log',
  memory_alerts: 'found again in the judgments, by hashes of the key',
  memory_calibrations: 'unused',
  memory_configs: 'unused',
  memory_embeddings: 'unused',
  memory_spellings: 'unused',
  memory_spellings_refills: 'unused',
  memory_terms: 'counted again, by hashes of the key',
  presence: 'for minutes',
  presence_connections: 'connections to the server',
  quota_usages: 'measured again',
  transfers: 'archives themselves',
  used_stream_tickets: 'credentials of the server',
  webhook_attempts: 'deliveries of the log of the server',
  webhook_deliveries: 'deliveries of the log of the server',
  webhook_endpoints: 'receivers with their secrets, which would hear of everything twice',
  webhook_queues: 'deliveries of the log of the server',
};

describe('tables', () => {
  it('are written by one folder each, and by several for a reason', () => {
    const ofFeatures = writes.filter(({ path }) => !OPERATORS.test(path));
    const writers = [...Map.groupBy(ofFeatures, ({ table }) => table)].map(
      ([table, all]) =>
        [table, [...new Set(all.map(({ path }) => folderOf(path)))].sort()] as const,
    );
    const shared = Object.entries(SHARED).map(([table, { by }]) => [table, by]);
    expect(Object.fromEntries(writers.filter(([, folders]) => folders.length > 1))).toEqual(
      Object.fromEntries(shared),
    );
  });

  it('of features are read in the console, and written by its features only', () => {
    const written = writes.filter(({ path }) => path.startsWith('console/'));
    const tables = new Set(written.map(({ table }) => table));
    expect([...tables].sort()).toEqual(['console_acts', 'console_used_ids']);
  });

  it('of tenants are in archives, or listed here with the reason why they are not', () => {
    const archived = archivedTables.map(({ name }) => name);
    const known = [...archived.filter((name) => name !== 'api_keys'), ...Object.keys(NOT_ARCHIVED)];
    expect(known.sort()).toEqual([...TENANT_TABLES].sort());
  });
});

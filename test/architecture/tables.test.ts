import { describe, expect, it } from 'vitest';
import { archivedTables } from '../../src/features/archived-tables.ts';
import { MODELS } from '../support/prisma-schema.ts';
import { sourceFiles } from '../support/source-files.ts';
import { TENANT_TABLES } from '../support/tenant-guard.ts';

const TABLES = MODELS.map(({ table }) => table);

/** `FROM notifications n`, and the fragment sql`notifications t` that a helper gets as `table`. */
const IN_SQL = new RegExp(
  `(?:\\b(FROM|JOIN|UPDATE|INTO|USING|COPY)\\s+|\\b(table): sql\`|\\bsql\`\\s*)` +
    `(${TABLES.join('|')})(?![\\w:'-])`,
  'g',
);

/** Helpers that change the rows of the table that they get. */
const CHANGES_ROWS = /\b(?:walkRows|removeRows|deleteExpiredRows)\(/;

/** Returns the tables that the statements in a source file read and write. */
function tablesIn(text: string): Array<{ table: string; writes: boolean }> {
  const changesRows = CHANGES_ROWS.test(text);
  return [...text.matchAll(IN_SQL)].map(({ 1: keyword, 2: field, 3: table = '', index }) => ({
    table,
    writes:
      ['UPDATE', 'INTO', 'COPY'].includes(keyword ?? '') ||
      (keyword === 'FROM' && /\bDELETE\s+$/.test(text.slice(0, index))) ||
      (field !== undefined && changesRows),
  }));
}

/**
 * The folder that owns each table: it writes the rows and knows their rules. What must be deleted
 * or erased with rows of others is registered by the owner, in `features/dependents.ts` and
 * `features/erasure-steps.ts`.
 */
const OWNED: Record<string, string[]> = {
  platform: ['key_sentinel'],
  'platform/database': ['schema_requirements'],
  'platform/events': ['event_outbox', 'event_readers', 'event_reader_partitions'],
  'platform/processes': ['logged_requests', 'processes', 'process_metrics'],
  'api/credentials': ['used_stream_tickets'],
  'api/idempotency': ['idempotency_keys'],
  'features/settings': ['service_settings'],
  'features/quotas': ['quota_usages'],
  'features/events': ['events', 'event_retention'],
  'features/directory': ['documents', 'folders', 'organizations'],
  'features/users': ['users'],
  'features/user-groups': ['user_groups', 'user_group_members'],
  'features/permissions': ['grants'],
  'features/presence': ['presence', 'presence_connections', 'presence_processes'],
  'features/recordings': ['recordings'],
  'features/attachments': ['attachments'],
  'features/activity': ['activities', 'activity_chains'],
  'features/models': ['model_provider_keys'],
  'features/api-keys': ['api_keys', 'auth_tokens'],
  'features/workspaces': ['workspaces', 'workspace_auth_tokens'],
  'features/crdt': [
    ...['crdt_clients', 'crdt_documents', 'crdt_history', 'crdt_tombstones', 'crdt_updates'],
    'crdt_versions',
  ],
  'features/memory': [
    ...['memory_alerts', 'memory_calibrations', 'memory_configs', 'memory_embeddings'],
    ...['memory_judgments', 'memory_spellings', 'memory_spellings_refills', 'memory_terms'],
    'memory_watches',
  ],
  'features/comments': [
    ...['annotation_counters', 'annotation_users', 'comment_annotations', 'comment_reactions'],
    'comments',
  ],
  'features/notifications': [
    ...['held_notifications', 'notification_preferences', 'notification_recipients'],
    'notifications',
  ],
  'features/webhooks': [
    ...['webhook_attempts', 'webhook_deliveries', 'webhook_endpoints', 'webhook_queues'],
    'webhook_workers',
  ],
  'features/email': ['mails'],
  'features/erasure': ['erasures'],
  'features/transfer': ['transfers'],
  console: ['console_acts', 'console_used_ids'],
};

/** Tables that others write too, and why. */
const WRITTEN_BY_OTHERS: Record<string, { by: string[]; reason: string }> = {
  service_settings: {
    by: ['activity', 'api-keys', 'email', 'notifications', 'webhooks'],
    reason: 'a setting lives with the feature that it configures; the row is created with the key',
  },
  api_keys: {
    by: ['quotas', 'users'],
    reason: 'the quotas of a key and the count of revocations are columns of it',
  },
  events: {
    by: ['platform/events'],
    reason: 'the log is appended below all features; retention and erasure are of this feature',
  },
  quota_usages: {
    by: ['api/quotas'],
    reason: 'every operation counts what it adds; the feature measures',
  },
  users: {
    by: ['access', 'notifications', 'permissions'],
    reason: 'whoever is named becomes a user, with a grant or a notification in one statement',
  },
  grants: {
    by: ['access', 'users'],
    reason: 'the role of a user is written with the user, in one statement',
  },
  user_group_members: {
    by: ['users'],
    reason: 'who is removed from an organization leaves its groups, and is deleted without any',
  },
};

/** Tables that others read only. */
const READ_BY_OTHERS: Record<string, string[]> = {
  'platform/live-bus': ['events'],
  'api/middleware': ['api_keys', 'auth_tokens', 'users', 'workspace_auth_tokens'],
  'api/subscriptions': ['api_keys', 'auth_tokens', 'users'],
  'features/access': ['api_keys', 'documents', 'folders', 'organizations'],
  'features/activity': ['organizations'],
  'features/api-keys': ['workspaces'],
  'features/comments': ['documents', 'events', 'grants', 'users'],
  'features/crdt': ['documents'],
  'features/email': ['api_keys', 'comment_annotations', 'comments', 'users'],
  'features/erasure': ['organizations'],
  'features/events': ['event_readers'],
  'features/memory': ['comment_annotations', 'comments', 'events'],
  'features/notifications': [
    ...['annotation_users', 'comment_annotations', 'comments', 'events', 'user_group_members'],
  ],
  'features/permissions': ['documents', 'folders', 'organizations'],
  'features/presence': ['documents', 'users'],
  'features/quotas': ['attachments'],
  'features/transfer': ['event_outbox', 'events', 'organizations'],
  'features/webhooks': ['events'],
  'features/workspaces': ['api_keys'],
  realtime: ['api_keys'],
};

/** Folders that may read and repair the tables of every feature. */
const OPERATORS = /^(?:console|cli)\//;

const folderOf = (file: string): string =>
  /^(?:api|features|platform)\/[^/]+(?=\/)|^[^/]+/.exec(file)?.[0] ?? file;

const ownerOf = new Map(
  Object.entries(OWNED).flatMap(([folder, tables]) => tables.map((table) => [table, folder])),
);

/** Each use of a table of another folder, as `folder: table`. */
function usesOfOthers(which: { writes: boolean }): string[] {
  const uses = sourceFiles().flatMap(({ path, text }) =>
    tablesIn(text)
      .filter(
        ({ table, writes }) => writes === which.writes && ownerOf.get(table) !== folderOf(path),
      )
      .map(({ table }) => ({ path, use: `${folderOf(path)}: ${table}` })),
  );
  const others = uses.filter(({ path }) => !OPERATORS.test(path));
  return [...new Set(others.map(({ use }) => use))].sort();
}

const written = Object.entries(WRITTEN_BY_OTHERS).flatMap(([table, { by }]) =>
  by.map((name) => `${name.includes('/') ? name : `features/${name}`}: ${table}`),
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
  it('have one owner each', () => {
    expect([...ownerOf.keys()].sort()).toEqual(TABLES.toSorted());
  });

  it('are written by their owner, and by others for a reason', () => {
    expect(usesOfOthers({ writes: true })).toEqual(written.sort());
  });

  it('are read by others that are listed', () => {
    const read = Object.entries(READ_BY_OTHERS).flatMap(([folder, tables]) =>
      tables.map((table) => `${folder}: ${table}`),
    );
    const found = usesOfOthers({ writes: false }).filter((use) => !written.includes(use));
    expect(found).toEqual(read.sort());
  });

  it('of features are read in the console, and written by its features only', () => {
    const files = sourceFiles().filter(({ path }) => path.startsWith('console/'));
    const tables = files.flatMap(({ text }) => tablesIn(text).filter(({ writes }) => writes));
    expect(new Set(tables.map(({ table }) => table))).toEqual(new Set(OWNED.console));
  });

  it('of tenants are in archives, or listed here with the reason why they are not', () => {
    const archived = archivedTables.map(({ name }) => name);
    const known = [...archived.filter((name) => name !== 'api_keys'), ...Object.keys(NOT_ARCHIVED)];
    expect(known.sort()).toEqual([...TENANT_TABLES].sort());
  });
});

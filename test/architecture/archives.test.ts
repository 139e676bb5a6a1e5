import { expect, it } from 'vitest';
import { archivedTables } from '../../src/features/archived-tables.ts';
import { TENANT_TABLES } from '../support/tenant-guard.ts';

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

it('every table of tenants is in archives, or listed here with the reason why it is not', () => {
  const archived = archivedTables.map(({ name }) => name);
  const known = [...archived.filter((name) => name !== 'api_keys'), ...Object.keys(NOT_ARCHIVED)];
  expect(known.sort()).toEqual([...TENANT_TABLES].sort());
});

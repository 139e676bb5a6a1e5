import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../support/server.ts';

const FOLDER = path.join(import.meta.dirname, '../../prisma/migrations');
const migrations = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    name,
    text: readFileSync(path.join(FOLDER, name, 'migration.sql'), 'utf8'),
  }));

/** Indexes that serve all tenants at once, with the reason. */
const FOR_ALL_TENANTS: Record<string, string> = {
  comment_annotations_by_lifetime: 'its boxes stand in a column that is made of the tenant',
  crdt_documents_event_due_at_idx: 'one worker looks for the events of all tenants that are due',
  event_outbox_position_idx: 'the sequencer takes events of all tenants in the order of commits',
  events_sequence_idx: 'readers of the log go through the events of all tenants',
  held_notifications_due_ms_idx:
    'one worker looks for the notifications of all tenants that are due',
  idempotency_keys_expires_at_idx: 'one worker deletes what has expired',
  mails_due_at_idx: 'one worker deletes what was settled long ago',
  memory_configs_due: 'one worker looks for the tenants whose judgments lack vectors',
  memory_judgments_organization_terms: 'its keys are hashes that the tenant is part of',
  memory_judgments_terms: 'its keys are hashes that the tenant is part of',
  memory_spellings_trigrams: 'its first column is the tenant, as GIN takes it',
  memory_watches_due: 'one worker looks for the tenants whose judgments are to be looked at',
  presence_connections_process_id_idx: 'one worker deletes the connections of a process that died',
  presence_seen_at_idx: 'one worker deletes what has gone',
  quota_usages_measure_due_at_idx: 'one worker looks for the keys whose storage is to be measured',
  webhook_queues_due: 'workers look for endpoints of all tenants that something waits for',
  webhook_queues_owned: 'workers look for what a dead one held',
};

interface Index {
  table: string;
  name: string;
  firstColumn: string;
}

describe('migrations', () => {
  it.each(migrations)('$name runs inside one transaction', ({ text }) => {
    const statements = text.replace(/--.*$/gm, '');
    expect(statements).not.toMatch(/\bCONCURRENTLY\b/i);
    expect(statements).not.toMatch(/(?:^|;)\s*(?:BEGIN|COMMIT|ROLLBACK|VACUUM)\b/i);
  });
});

describe('every key and index of a tenant table starts with the tenant', () => {
  let indexes: Index[];
  beforeAll(async () => {
    indexes = await readIndexes(await createDatabase());
  });

  it('except those that serve all tenants', () => {
    expect(indexes.length).toBeGreaterThan(10);
    const others = indexes.filter(({ firstColumn }) => firstColumn !== 'tenant_id');
    expect(others.map(({ name }) => name).sort()).toEqual(Object.keys(FOR_ALL_TENANTS).sort());
  });
});

async function readIndexes(url: string): Promise<Index[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Index>(`
      SELECT t.relname AS table, i.relname AS name,
             pg_get_indexdef(x.indexrelid, 1, true) AS "firstColumn"
      FROM pg_index x
      JOIN pg_class i ON i.oid = x.indexrelid
      JOIN pg_class t ON t.oid = x.indrelid
      JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'public'
      WHERE EXISTS (SELECT FROM pg_attribute a
                    WHERE a.attrelid = t.oid AND a.attname = 'tenant_id')`);
    return rows;
  } finally {
    await client.end();
  }
}

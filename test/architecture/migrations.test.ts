import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadModule, parseSync } from 'libpg-query';
import { describe, expect, it } from 'vitest';
import { execute } from '../support/global-setup.ts';
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
  attachments_remove_at_idx: 'one worker removes the files of all tenants that are due',
  activity_chains_broken_at_idx: 'the operator sees what is broken, of all tenants',
  activity_chains_verified_at_idx: 'one worker verifies the chains of all tenants in turn',
  comment_annotations_by_lifetime: 'its boxes stand in a column that is made of the tenant',
  crdt_documents_event_due_at_idx: 'one worker looks for the events of all tenants that are due',
  crdt_history_until_idx: 'one worker deletes what is older than the kept time',
  event_outbox_position_idx: 'the sequencer takes events of all tenants in the order of commits',
  events_sequence_idx: 'readers of the log go through the events of all tenants',
  held_notifications_due_ms_idx:
    'one worker looks for the notifications of all tenants that are due',
  idempotency_keys_expires_at_idx: 'one worker deletes what has expired',
  mails_due_at_idx: 'one worker moves what the previous release has queued',
  memory_calibrations_due: 'one worker of the previous release looks for the tenants that are due',
  memory_configs_due: 'one worker looks for the tenants whose judgments lack vectors',
  memory_judgments_organization_terms: 'its keys are hashes that the tenant is part of',
  memory_judgments_terms: 'its keys are hashes that the tenant is part of',
  memory_spellings_trigrams: 'its first column is the tenant, as GIN takes it',
  memory_watches_due: 'one worker looks for the tenants whose judgments are to be looked at',
  presence_connections_process_id_idx: 'one worker deletes the connections of a process that died',
  presence_seen_at_idx: 'one worker deletes what has gone',
  quota_usages_measure_due_at_idx: 'one worker looks for the keys whose storage is to be measured',
  transfers_remove_at_idx: 'one worker removes what is a day old',
  used_stream_tickets_expires_at_idx: 'one worker deletes what has expired',
  webhook_queues_due: 'workers look for endpoints of all tenants that something waits for',
  webhook_queues_failing: 'the operator sees what fails, of all tenants',
  webhook_queues_owned: 'workers look for what a dead one held',
};

/** The first migration, which makes the whole schema of a release. The others are changes of it. */
const [FIRST = ''] = migrations.map(({ name }) => name);

/** The newest migration that is older than the rule of building indexes apart from other changes. */
const BEFORE_INDEXES_APART = '20261125200022_console_requests_and_acts';

await loadModule();

/** The parts of a parsed statement that name what it is about. */
interface Statement {
  relation?: { relname: string };
  relations?: Array<{ RangeVar: { relname: string } }>;
  objects?: Array<{ List: { items: Array<{ String: { sval: string } }> } }>;
}

/**
 * The tables that statements of these kinds lock in a migration until it commits, without those that it
 * makes. By default: the tables that it locks against writers. An index that is dropped counts for its table.
 */
function lockedTables(
  text: string,
  kinds = /^(?:AlterTable|Index|Drop|Rename|CreateTrig|Lock|Truncate)Stmt$/,
): string[] {
  const statements = (parseSync(text).stmts ?? []).flatMap(
    ({ stmt }) => Object.entries(stmt ?? {}) as Array<[kind: string, Statement]>,
  );
  const tablesOf = (someKinds: RegExp) =>
    statements
      .filter(([kind]) => someKinds.test(kind))
      .flatMap(([, { relation, relations = [], objects = [] }]) => [
        ...(relation ? [relation.relname] : []),
        ...relations.map(({ RangeVar }) => RangeVar.relname),
        ...objects.map(({ List }) => List.items.at(-1)?.String.sval ?? ''),
      ]);
  const made = new Set(tablesOf(/^CreateStmt$/));
  return [...new Set(tablesOf(kinds))].filter((table) => !made.has(table));
}

/**
 * Statements that rewrite a table under a lock, scan it under one, or take something away that the release
 * before uses. A migration after that release may contract: the line above says why, after
 * `-- contract:`, and the migration adds itself to schema_requirements.
 */
const NEEDS_A_REASON =
  /\b(DROP (TABLE|COLUMN|CONSTRAINT|DEFAULT)|RENAME|ALTER COLUMN .* TYPE|SET NOT NULL|TRUNCATE)\b/i;
/** Adding a column with a default that differs from row to row rewrites the table. */
const REWRITES = /\bADD COLUMN .* DEFAULT (?!true|false|null|now\(\)|CURRENT_TIMESTAMP|'|-?\d)/i;

/** A constraint that the same statement adds again, without looking at the rows, is replaced. */
const REPLACES = /DROP CONSTRAINT ("\w+"),\s+ADD CONSTRAINT \1 [^;]* NOT VALID;/g;

function unexplained(text: string): string[] {
  const lines = text.replaceAll(REPLACES, '').split('\n');
  return lines.filter((line, at) => {
    const statement = line.replace(/--.*$/, '');
    if (REWRITES.test(statement)) return true;
    return NEEDS_A_REASON.test(statement) && !/^-- contract: \w/.test(lines[at - 1] ?? '');
  });
}

interface Index {
  name: string;
  firstColumn: string;
}

it.each(migrations)('migrations $name runs inside one transaction', ({ text }) => {
  const statements = text.replace(/--.*$/gm, '');
  expect(statements).not.toMatch(/\bCONCURRENTLY\b/i);
  expect(statements).not.toMatch(/(?:^|;)\s*(?:BEGIN|COMMIT|ROLLBACK|VACUUM)\b/i);
});

describe('migrations after the first', () => {
  it.each(migrations.filter(({ name }) => name > FIRST))(
    '$name takes nothing away from the release before, and rewrites no table',
    ({ text }) => {
      expect(unexplained(text)).toEqual([]);
      const contracts = /^-- contract:/m.test(text);
      expect(/INSERT INTO "?schema_requirements"?/.test(text)).toBe(contracts);
    },
  );

  it.each(migrations.filter(({ name }) => name > FIRST))(
    '$name locks one existing table at most',
    ({ text }) => {
      expect(lockedTables(text).length).toBeLessThanOrEqual(1);
    },
  );

  it.each(migrations.filter(({ name }) => name > BEFORE_INDEXES_APART))(
    '$name lets readers of a table go on while it builds an index',
    ({ text }) => {
      const altered = lockedTables(text, /^(?:AlterTable|Drop|Rename|Truncate)Stmt$/);
      if (altered.length > 0) expect(lockedTables(text, /^IndexStmt$/)).toEqual([]);
    },
  );

  it('lock what they alter, index, or drop, and not what they make', () => {
    const text = `CREATE TABLE "a" ("id" TEXT); CREATE INDEX ON "a" ("id"); ALTER TABLE "b" ADD COLUMN "c" TEXT;
      CREATE INDEX "i" ON "c" ("id"); DROP TABLE "d"; ALTER TABLE "e" RENAME TO "f"; LOCK TABLE "g", "b";`;
    expect(lockedTables(text)).toEqual(['b', 'c', 'd', 'e', 'g']);
  });

  it.each([
    ['ALTER TABLE "users" DROP COLUMN "name";'],
    ['ALTER TABLE "users" ALTER COLUMN "name" TYPE BIGINT;'],
    ['ALTER TABLE "users" DROP CONSTRAINT "one", ADD CONSTRAINT "two" CHECK (TRUE) NOT VALID;'],
    ['ALTER TABLE "users" ADD COLUMN "key" TEXT DEFAULT gen_random_uuid();'],
  ])('must give a reason for %s', (line) => {
    expect(unexplained(line)).toEqual([line]);
    expect(unexplained(`-- ${line}`)).toEqual([]);
  });
});

it('every key and index of a tenant table starts with the tenant, except those that serve all tenants', async () => {
  const indexes = await readIndexes(await createDatabase());
  const others = indexes.filter(({ firstColumn }) => firstColumn !== 'tenant_id');
  expect(others.map(({ name }) => name).sort()).toEqual(Object.keys(FOR_ALL_TENANTS).sort());
});

async function readIndexes(url: string): Promise<Index[]> {
  return execute(
    url,
    `SELECT i.relname AS name, pg_get_indexdef(x.indexrelid, 1, true) AS "firstColumn"
     FROM pg_index x
     JOIN pg_class i ON i.oid = x.indexrelid
     JOIN pg_class t ON t.oid = x.indrelid
     JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'public'
     WHERE EXISTS (SELECT FROM pg_attribute a
                   WHERE a.attrelid = t.oid AND a.attname = 'tenant_id')`,
  );
}

import { expect, it } from 'vitest';
import type { Services } from '../../src/api/context.ts';
import { deleteExpiredReservations } from '../../src/api/idempotency/reservations.ts';
import { removeFiles } from '../../src/features/attachments/remove-files.ts';
import { deleteOldHistory } from '../../src/features/crdt/history/keep-history.ts';
import { deleteExpiredEvents } from '../../src/features/events/retention.ts';
import { deleteExpiredPresence } from '../../src/features/presence/publish-timeouts.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Queryable, Sql } from '../../src/platform/database/database.ts';
import { wasDeleted } from '../../src/platform/live-bus/read-log.ts';
import { databasePool } from '../support/database-client.ts';
import { maxRowsRead, recordingDatabase, stopAutovacuum } from '../support/rows-read.ts';
import { createDatabase } from '../support/server.ts';

/** Rows of 50 tenants. All of them are to be deleted, the first long ago. */
const ROWS = 50_000;
const FEW = 10;
/** The rows that one statement of most sweeps deletes. */
const STEP = 1_000;

const fill = {
  idempotency_keys: `
    INSERT INTO idempotency_keys
      (tenant_id, path, key, request_hash, sealed_answer, lease_until, expires_at)
    SELECT 't' || n % 50, 'users.add', n::text, '', repeat('x', 300), now(), age(n)
    FROM generate_series(1, $1::int) n`,
  presence: `
    INSERT INTO presence (tenant_id, organization_id, document_id, user_id, status, seen_at)
    SELECT 't' || n % 50, 'acme', 'd' || n % 200, 'u' || n, 'online', age(n)
    FROM generate_series(1, $1::int) n`,
  events: `
    INSERT INTO events (tenant_id, id, type, channels, data, created_at)
    SELECT 't' || n % 50, n, 'document.add', '{}', to_json(repeat('x', 300)), age(n)
    FROM generate_series(1, $1::int) n`,
  attachments: `
    INSERT INTO attachments
      (tenant_id, organization_id, document_id, attachment_id, name, type, size, created_ms, remove_at)
    SELECT 't' || n % 50, 'acme', 'd' || n % 200, 'a' || n, '', '', 1, 1, age(n)
    FROM generate_series(1, $1::int) n`,
  crdt_history: `
    INSERT INTO crdt_history (tenant_id, log_id, base_version, since, until, authors, updates)
    SELECT 't' || n % 50, gen_random_uuid(), n, at, at, '{}', repeat('x', 300)::bytea
    FROM generate_series(1, $1::int) n CROSS JOIN LATERAL (SELECT age(n) AS at) AS time`,
};
type Table = keyof typeof fill;

type Sweep = (ctx: { db: Queryable; clock: Clock }) => Promise<void>;

/** Where the files of attachments are kept. */
const noFiles = { remove: async () => undefined };

const sweeps: Array<[table: Table, sweep: Sweep, step: number]> = [
  ['idempotency_keys', deleteExpiredReservations, STEP],
  ['presence', deleteExpiredPresence, STEP],
  ['crdt_history', (ctx) => deleteOldHistory({ ...ctx, config: { historyRetentionDays: 1 } }), 100],
  ['attachments', (ctx) => removeFiles({ ...ctx, files: noFiles } as unknown as Services), 50],
  ['events', (ctx) => deleteExpiredEvents({ ...ctx, config: { eventRetentionDays: 1 } }), STEP],
];

const deletes = ({ text }: Sql) => text.includes('DELETE FROM');

/** The first deletion of a sweep, with the rows that it looked for before. */
async function deletionOf(sweep: Sweep): Promise<Sql> {
  const { db, statements } = recordingDatabase(async (statement) =>
    statements.some(deletes) ? [] : (await pool.query(statement.text, statement.values)).rows,
  );
  await sweep({ db, clock: Date });
  const deletion = statements.find(deletes);
  if (!deletion) throw new Error('The sweep sent no deletion.');
  return deletion;
}

const pool = databasePool(await createDatabase());
// Readers of the log are past all events.
await pool.query('INSERT INTO event_readers (name, sequence) VALUES ($1, $2)', ['a', 10 * ROWS]);

it('the deletion of a document is looked for without reading the log', async () => {
  // One event in a hundred is about the deletion of a document.
  await pool.query(
    `INSERT INTO events (tenant_id, id, type, organization_id, document_id, channels, data, created_at)
     SELECT 't', n, CASE WHEN n % 100 = 0 THEN 'document.delete' ELSE 'comment.add' END, 'acme',
            'd' || n % 10, '{}', to_json(repeat('x', 300)), now()
     FROM generate_series(1, $1::int) AS n`,
    [ROWS],
  );
  await pool.query('ANALYZE events');
  const { db, statements } = recordingDatabase();
  const document = { tenantId: 't', organizationId: 'acme', documentId: 'd7' };
  await wasDeleted(db, document, { after: 0n, upTo: BigInt(ROWS) });
  expect(await maxRowsRead(pool, statements)).toBeLessThan(10);
});

const addRows = (table: Table, count: number) =>
  pool.query(fill[table].replace('age(n)', "now() - (($1 - n) || ' seconds 1 day')::interval"), [
    count,
  ]);

/** The statistics that PostgreSQL has of a table while it plans a sweep. */
const statistics: Record<string, (table: Table) => Promise<unknown>> = {
  none: (table) => addRows(table, ROWS),
  'those of a small table': async (table) => {
    await addRows(table, FEW);
    await pool.query(`VACUUM ANALYZE ${table}`);
    await pool.query(`TRUNCATE ${table}`);
    await addRows(table, ROWS);
  },
  all: (table) => pool.query(`ANALYZE ${table}`),
};

it.each(sweeps)(
  'a sweep of %s reads what it deletes, and no more, with any statistics',
  async (table, sweep, step) => {
    await stopAutovacuum(pool);
    // The rows name users and documents that do not exist.
    await pool.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
    const countRows = async () =>
      (await pool.query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0].count;
    for (const [known, prepare] of Object.entries(statistics)) {
      if (known !== 'all') await pool.query(`TRUNCATE ${table}`);
      await prepare(table);
      const before = await countRows();
      // Each row is picked, found again and deleted; some that are picked are left out.
      const read = await maxRowsRead(pool, [await deletionOf(sweep)]);
      expect(read, `statistics: ${known}`).toBeLessThan(4 * step);
      expect(before - (await countRows())).toBe(step);
    }
  },
);

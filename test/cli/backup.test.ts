import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { BackupReader } from '../../src/cli/backup/backup-file.ts';
import { restoreBackup } from '../../src/cli/backup/restore-backup.ts';
import { writeBackup } from '../../src/cli/backup/write-backup.ts';
import { type CollaborationClient, createServerClient } from '../../src/client/server.ts';
import { execute } from '../support/global-setup.ts';
import { createDatabase, emptyDatabase, startTestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
const SECRET_KEY = randomBytes(32).toString('base64');
/** Characters that have a meaning in the format, and a line that looks like the end of a table. */
const AWKWARD = 'tab\t backslash \\ newline\n\\.\nnull \\N quote " ü 🎉';
const fileCalled = (name: string) => path.join(folder, name);

const comment = (commentText: string) =>
  client.commentAnnotations.add({
    ...place,
    commentAnnotations: [{ commentData: [{ from: { userId: 'ada' }, commentText }] }],
  });

const folder = await temporaryFolder('test-backup-');
const server = await startTestServer({ SECRET_KEY });
const client = createServerClient(server.quickstart);
const { organizationId, documentId } = place;
await client.users.add({ organizationId, users: [{ userId: 'ada', name: 'Ada' }] });
await client.documents.add({ organizationId, documents: [{ documentId }] });
await client.crdt.add({ ...place, editorId: 'body', type: 'text', data: 'We launch in May.' });
await comment(AWKWARD);
const whole = fileCalled('whole.gz');
const written = await writeBackup(server.databaseUrl, whole);

const textsOf = async (of: CollaborationClient) => {
  const { data } = await of.commentAnnotations.get({ ...place, order: 'asc' });
  return data.map((annotation) => annotation?.comments[0]?.commentText);
};

it('a restore brings everything into an empty database, on which a server continues', async () => {
  const DATABASE_URL = await emptyDatabase();
  expect(await restoreBackup(DATABASE_URL, whole)).toEqual(written);

  const restored = await startTestServer({ DATABASE_URL, SECRET_KEY });
  const again = createServerClient({ ...server.quickstart, url: restored.url });
  expect(await textsOf(again)).toEqual([AWKWARD]);
  const [body] = await again.crdt.get({ ...place, editorId: 'body' });
  expect(body?.data).toBe('We launch in May.');
  // Sequences continue, too, so that new events come after the old ones.
  const before = await again.events.get({});
  await again.crdt.update({ ...place, editorId: 'body', type: 'text', data: 'In June.' });
  await again.users.add({ organizationId: place.organizationId, users: [{ userId: 'alan' }] });
  const { events } = await again.events.get({ after: before.cursor });
  expect(events.map(({ type }) => type)).toContain('user.add');
});

it('a backup holds one moment, however much is written meanwhile', async () => {
  const file = fileCalled('busy.gz');
  let isWriting = true;
  let written = 0;
  const write = async () => {
    while (isWriting) {
      written += 1;
      await comment(`Comment ${written}`);
    }
  };
  const writing = write();
  await writeBackup(server.databaseUrl, file);
  isWriting = false;
  await writing;

  const databaseUrl = await createDatabase();
  await restoreBackup(databaseUrl, file);
  // Each annotation has its comment and its event, which are in other tables.
  const rows = await execute(
    databaseUrl,
    `SELECT (SELECT count(*)::int FROM comment_annotations) AS annotations,
      (SELECT count(*)::int FROM comments) AS comments`,
  );
  expect(rows[0].annotations).toBe(rows[0].comments);
  expect(rows[0].annotations).toBeGreaterThan(0);
  expect(written).toBeGreaterThan(0);
});

it('a quiet restore sends no waiting webhooks and mails, and turns both off for every key', async () => {
  const { apiKey } = server.quickstart;
  await execute(
    server.databaseUrl,
    `INSERT INTO service_settings (tenant_id, use_email_service, use_advanced_webhooks)
     VALUES ('${apiKey}', true, true)
     ON CONFLICT (tenant_id) DO UPDATE SET use_email_service = true, use_advanced_webhooks = true;
     INSERT INTO webhook_queues (tenant_id, endpoint_id, next_at)
     VALUES ('${apiKey}', 'gone', now() + interval '1 hour');
     INSERT INTO webhook_deliveries
       (tenant_id, endpoint_id, created_at, sequence, event_id, event_type, due_at)
     VALUES ('${apiKey}', 'gone', now(), 1, 'event', 'user.add', now() + interval '1 hour');
     INSERT INTO mails (tenant_id, event_sequence, user_id, due_at)
     VALUES ('${apiKey}', 1, 'ada', now() + interval '1 hour');
     INSERT INTO pgboss.job (name, start_after) VALUES ('mails.default', now() + interval '1 hour')`,
  );
  const file = fileCalled('loud.gz');
  await writeBackup(server.databaseUrl, file);
  const databaseUrl = await createDatabase();
  await restoreBackup(databaseUrl, file, { quiet: true });
  const rows = await execute(
    databaseUrl,
    `SELECT (SELECT count(*)::int FROM service_settings
            WHERE use_email_service OR use_advanced_webhooks OR use_webhook_service) AS sending,
      (SELECT count(*)::int FROM webhook_deliveries WHERE status = 'pending') AS pending,
      (SELECT count(*)::int FROM webhook_queues WHERE next_at IS NOT NULL) AS due,
      (SELECT count(*)::int FROM mails WHERE state = 'waiting') AS "oldMails",
      (SELECT count(*)::int FROM pgboss.job WHERE name LIKE 'mails.%') AS mails,
      (SELECT count(*)::int FROM webhook_deliveries) AS deliveries`,
  );
  expect(rows).toEqual([{ sending: 0, pending: 0, due: 0, oldMails: 0, mails: 0, deliveries: 1 }]);
});

it('a restore refuses a database that is in use, or has tables of others, whose rows it would remove', async () => {
  await expect(restoreBackup(server.databaseUrl, whole)).rejects.toThrow('is not empty');
  const databaseUrl = await emptyDatabase();
  await execute(databaseUrl, 'CREATE TABLE others AS SELECT 1 AS id');
  const refusal = 'is not empty: it has the table others';
  await expect(restoreBackup(databaseUrl, whole)).rejects.toThrow(refusal);
  expect(await execute(databaseUrl, 'SELECT id FROM others')).toEqual([{ id: 1 }]);
});

it('a backup leaves out tables that others keep beside those of the service', async () => {
  const shared = await createDatabase();
  await restoreBackup(shared, whole);
  await execute(shared, `CREATE TABLE others (id serial, text text)`);
  await execute(shared, `INSERT INTO others (text) VALUES ('theirs')`);
  const file = fileCalled('shared.gz');
  await writeBackup(shared, file);
  const leftOut: string[] = [];
  const onLeftOut = (table: string) => leftOut.push(table);
  expect(await restoreBackup(await createDatabase(), file, { onLeftOut })).toEqual(written);
  expect(leftOut).toEqual(['others']);
});

it('a restore refuses a backup whose schema is newer than this version', async () => {
  const newer = await createDatabase();
  await execute(
    newer,
    `ALTER TABLE users ADD COLUMN nickname text;
     INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
     VALUES ('later', '', '29991231_later', now())`,
  );
  const file = fileCalled('newer.gz');
  await writeBackup(newer, file);
  const refusal = /newer schema than this version \(its last migration is 29991231_later\)/;
  await expect(restoreBackup(await createDatabase(), file)).rejects.toThrow(refusal);
});

it('a restore that fails in its last step, which reads statistics, keeps nothing either', async () => {
  const databaseUrl = await createDatabase();
  await execute(
    databaseUrl,
    `CREATE FUNCTION refuse(id text) RETURNS text IMMUTABLE LANGUAGE plpgsql
     AS $$ BEGIN RAISE 'ANALYZE was cancelled'; END $$;
     CREATE STATISTICS refusing ON (refuse(id)) FROM workspaces`,
  );
  const message = 'Nothing was restored: ANALYZE was cancelled';
  await expect(restoreBackup(databaseUrl, whole)).rejects.toThrow(message);
  expect(await execute(databaseUrl, 'SELECT 1 FROM workspaces')).toEqual([]);
});

/** Changes the lines of the backup. */
const withLines = (change: (lines: string[]) => string[]) => (bytes: Buffer) =>
  gzipSync(change(gunzipSync(bytes).toString().split('\n')).join('\n'));

const withEnd = (part: object) =>
  withLines((lines) => {
    const at = lines.findIndex((line) => line.startsWith('{"tables"'));
    return lines.with(at, JSON.stringify({ ...JSON.parse(lines[at] ?? ''), ...part }));
  });

const refusing = await createDatabase();

it.each<[string, (bytes: Buffer) => Uint8Array, RegExp]>([
  ['that was cut off', (bytes) => bytes.subarray(0, -100), /cannot be used/],
  // The checksum of gzip stands at the end, and all is read before anything is committed.
  [
    'with a changed byte',
    (bytes) => {
      const middle = Math.floor(bytes.length / 2);
      return bytes.with(middle, 255 - bytes.readUInt8(middle));
    },
    /./,
  ],
  ['of another format', () => Buffer.from('This is no backup.'), /cannot be used/],
  [
    'with a line without end',
    withLines(([header = '']) => [header, 'x'.repeat(1_200_000)]),
    /line 2: the last line has no end/,
  ],
  [
    'with characters that move a cursor',
    withLines(([header = '']) => [header, '\u001b[2J', '']),
    /"\\u001b\[2J" names/,
  ],
  ['with a table without its facts', withEnd({ tables: {} }), /does not mention the/],
  [
    'with a foreign sequence',
    withEnd({ sequences: { 'public.other': '1' } }),
    /sequence that this service does not have: public\.other/,
  ],
  [
    'with a value that is no number',
    withEnd({ sequences: { events_sequence_seq: '1); DROP' } }),
    /names neither a table nor the end/,
  ],
  [
    'with a row that is none',
    withLines((lines) =>
      lines.with(lines.findIndex((line) => line.startsWith('{"table":"users"')) + 1, 'no row'),
    ),
    /^Nothing was restored: .+ \(COPY users, line 1.*\)\.$/,
  ],
  [
    'with a table of PostgreSQL itself',
    withLines(([header = '', ...rest]) => {
      const columns = ['objoid', 'classoid', 'objsubid'];
      const table = JSON.stringify({ table: 'pg_catalog.pg_description', columns });
      return [header, table, '1\t1\t0', '\\.', ...rest];
    }),
    /a table that this service does not have: pg_catalog/,
  ],
])('nothing of a file %s is restored', async (_what, change, message) => {
  const file = fileCalled('hostile.gz');
  await writeFile(file, change(await readFile(whole)));
  const failure = { name: 'StartError', message: expect.stringMatching(message) };
  await expect(restoreBackup(refusing, file)).rejects.toMatchObject(failure);
  expect(await execute(refusing, 'SELECT 1 FROM workspaces')).toEqual([]);
});

/** A reader that copies all earlier blocks for each block would take minutes. */
it('a restore reads a row of 64 MB in linear time', async () => {
  const file = fileCalled('long.gz');
  const createdAt = new Date(0).toISOString();
  const header = { format: 'collaboration-backup', createdAt, migrations: [], jobTables: null };
  const table = { table: 'users', columns: ['a'] };
  const end = { tables: {}, sequences: {} };
  const row = 'x'.repeat(64 * 1024 * 1024);
  const lines = [
    JSON.stringify(header),
    JSON.stringify(table),
    row,
    '\\.',
    JSON.stringify(end),
    '',
  ];
  await writeFile(file, gzipSync(lines.join('\n')));
  const reader = new BackupReader(file);
  await reader.header();
  let bytes = 0;
  await reader.tables(async (_table, rows) => {
    for await (const block of rows) bytes += block.length;
  });
  expect(bytes).toBe(64 * 1024 * 1024 + 1);
});

import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import {
  type Comparison,
  compareServers,
  compareSettings,
} from '../../../src/cli/archive/compare.ts';
import { createServerClient } from '../../../src/client/server.ts';
import { removeFiles } from '../../../src/features/attachments/remove-files.ts';
import { storeFile } from '../../../src/features/transfer/attached-files.ts';
import { exportHandler } from '../../../src/features/transfer/run-transfer.ts';
import { deleteExpiredTransfers, endTransfer } from '../../../src/features/transfer/transfers.ts';
import { readTar, type TarEntry, writeTar } from '../../../src/platform/archives/tar.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { dataOf, failureOf, fresh, type Headers, type Loose } from '../../support/answers.ts';
import { archivesOf } from '../../support/archives.ts';
import { attachmentsOf, sha256 } from '../../support/attachments.ts';
import { databaseClient } from '../../support/database-client.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { readersCaughtUp } from '../../support/notifying-key.ts';
import { quotasOf } from '../../support/quotas.ts';
import { startS3 } from '../../support/s3-server.ts';
import {
  createTenant,
  startTestServer,
  type TestServer,
  testServer,
} from '../../support/server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { leaveTraces } from '../../support/user-traces.ts';

const source = testServer();
const target = testServer();

const ADA = { userId: 'ada', email: 'ada@example.com' };

const clientOf = ({ url }: TestServer, headers: Headers) =>
  createServerClient({
    url,
    apiKey: headers['x-svc-api-key'] ?? '',
    authToken: headers['x-svc-auth-token'] ?? '',
  });

/** An organization with something of every kind. */
async function fill(server: TestServer, headers: Headers = server.keyHeaders): Promise<string> {
  const organizationId = fresh('org');
  const name = 'Ada "Amazing" \\ Lovelace\u2028✓\n';
  await leaveTraces(server, headers, organizationId, { ...ADA, name });
  const folder = { folderId: 'inside', parentFolderId: 'plans', plan: { seats: 12.5 } };
  const content = { folders: [folder], documents: [{ documentId: 'other', folderId: 'inside' }] };
  await organize(server, organizationId, content, headers);
  // Data that readers derive from the events is archived, too.
  await readersCaughtUp(server, 'activity', 'notifications');
  return organizationId;
}

const allOf = (organizationId: string, ours: Headers, theirs: Headers) =>
  compareServers([clientOf(source, ours), clientOf(target, theirs)], [organizationId]);

/** One archive for all tests that only read it. */
let shared: ReturnType<typeof exportShared> | undefined;
const sharedArchive = () => {
  shared ??= exportShared();
  return shared;
};

async function exportShared() {
  const organizationId = await fill(source);
  const { content, report } = await archivesOf(source).export(organizationId);
  return { organizationId, content, report, files: await unpacked(content) };
}

interface File {
  name: string;
  content: Buffer;
}

/** Changes the files of an archive. */
type Damage = (files: File[]) => File[];

const file = (name: string, text: string): File => ({ name, content: Buffer.from(text) });

async function unpacked(archive: Uint8Array): Promise<File[]> {
  const files: File[] = [];
  for await (const { name, content } of readTar(Readable.from([Buffer.from(archive)]))) {
    files.push({ name, content: await buffer(content) });
  }
  return files;
}

async function packed(files: File[]): Promise<Uint8Array<ArrayBuffer>> {
  const entries = async function* (): AsyncGenerator<TarEntry> {
    for (const { name, content } of files) {
      yield { name, size: content.length, content: Readable.from([content]) };
    }
  };
  return new Uint8Array(await buffer(writeTar(entries())));
}

/** Changes the content of the files whose names begin so. */
const change =
  (start: string, by: (content: Buffer) => Buffer): Damage =>
  (files) =>
    files.map((each) =>
      each.name.startsWith(start) ? { ...each, content: by(each.content) } : each,
    );

const replace = (start: string, text: string, by: string): Damage =>
  change(start, (content) => Buffer.from(content.toString('latin1').replace(text, by), 'latin1'));

const manifestOf = ([first]: File[]): Loose => JSON.parse(String(first?.content));

const manifest = (files: File[], part: object): File[] => [
  file('manifest.json', JSON.stringify({ ...manifestOf(files), ...part })),
  ...files.slice(1),
];

/** Replaces the rows of a table, and what the manifest says of them. */
const rewrite =
  (table: string, ...rows: string[]): Damage =>
  (files) => {
    const content = Buffer.from(rows.map((row) => `${row}\n`).join(''));
    const { tables } = manifestOf(files);
    const facts = tables.find(({ name }: Loose) => name === table);
    Object.assign(facts, { rows: rows.length, size: content.length, sha256: sha256(content) });
    return change(`rows/${table}.ndjson`, () => content)(manifest(files, { tables }));
  };

const rowsOf = (files: File[], table: string): string[] =>
  String(files.find(({ name }) => name === `rows/${table}.ndjson`)?.content)
    .trimEnd()
    .split('\n');

/** Changes these fields of all rows of a table. */
const rowsWith =
  (table: string, fields: object): Damage =>
  (files) => {
    const rows = rowsOf(files, table).map((row) => ({ ...JSON.parse(row), ...fields }));
    return rewrite(table, ...rows.map((row) => JSON.stringify(row)))(files);
  };
const attachment = (fields: object) => rowsWith('attachments', fields);
const annotation = (fields: object) => rowsWith('comment_annotations', fields);
const NO_USERS = { type: 'restricted', userIds: 5 };
const NESTED_ROW = `{"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;

/** Adds 100 folders below the first one, each in the one before. */
const nested: Damage = (files) => {
  const rows = rowsOf(files, 'folders');
  const first = JSON.parse(rows[0] ?? '');
  const added = Array.from({ length: 100 }, (_, n) => {
    const parent_folder_id = n === 0 ? first.folder_id : `deep-${n - 1}`;
    return JSON.stringify({ ...first, folder_id: `deep-${n}`, parent_folder_id });
  });
  return rewrite('folders', ...rows, ...added)(files);
};

const unknownColumn: Damage = (files) => {
  const { tables } = manifestOf(files);
  tables.find(({ name }: Loose) => name === 'users').columns.push('tenant_id');
  return manifest(files, { tables });
};

const without =
  (table: string): Damage =>
  (files) => {
    const tables = manifestOf(files).tables.filter(({ name }: Loose) => name !== table);
    return manifest(files, { tables }).filter(({ name }) => name !== `rows/${table}.ndjson`);
  };

/** Has each attachment in another document, too. */
const duplicated: Damage = (files) => {
  const copies = rowsOf(attachment({ document_id: 'other' })(files), 'attachments');
  return rewrite('attachments', ...rowsOf(files, 'attachments'), ...copies)(files);
};

/** Replaces the list of tables in the manifest. */
const tables =
  (change: (tables: Loose[]) => Loose[]): Damage =>
  (files) =>
    manifest(files, { tables: change(manifestOf(files).tables) });

const tampered: Damage = (files) => {
  const rows = rowsOf(files, 'activities');
  return rewrite('activities', ...rows.map((row) => row.replace('"sum":5', '"sum":6')))(files);
};

/** The clock of a server some hours later. */
const clockIn = ({ app }: TestServer, hours: number) => ({
  ...app.services.clock,
  now: () => Date.now() + hours * 60 * 60 * 1000,
});

const failed = (problem: RegExp) => ({ state: 'failed', problem: expect.stringMatching(problem) });

describe('an archive of an organization', () => {
  it('brings everything to another server, beside what others have there', async () => {
    const other = await fill(target);
    const before = await target.call('/v2/organizations/get', {});
    const { organizationId, content, report } = await sharedArchive();
    const headers = await createTenant(target);
    const imported = await archivesOf(target, headers).import(content, organizationId);
    expect(imported).toMatchObject({ state: 'done', report: { files: 1, missingFiles: 0 } });
    const rows = Object.values<number>(imported.report.rows).reduce((sum, count) => sum + count);
    expect(imported.progress).toEqual({ rows, files: 1 });
    expect(imported.report.rows).toEqual(report.rows);
    const { compared, differences } = await allOf(organizationId, source.keyHeaders, headers);
    expect(differences).toEqual([]);
    for (const kind of ['annotations', 'notifications', 'editors', 'recordings', 'judgments']) {
      expect(compared[kind], kind).toBeGreaterThan(0);
    }
    expect(await target.call('/v2/organizations/get', {})).toMatchObject({ body: before.body });
    const found = await target.call('/v2/organizations/get', { organizationIds: [other] }, headers);
    expect(dataOf(found)).toEqual([]);
  });

  it('shows one moment, however much is written meanwhile', async () => {
    const organizationId = await fill(source);
    const place = { organizationId, documentId: 'plan' };
    let isWriting = true;
    const write = async () => {
      for (let number = 0; isWriting; number++) {
        const commentData = [{ from: { userId: 'ada' }, commentText: `Comment ${number}` }];
        const data = { ...place, commentAnnotations: [{ commentData }] };
        await source.ok('/v2/commentannotations/add', data);
      }
    };
    const writing = write();
    const { content } = await archivesOf(source).export(organizationId);
    isWriting = false;
    await writing;
    const headers = await createTenant(target);
    expect((await archivesOf(target, headers).import(content)).state).toBe('done');
    const annotations: Loose[] = [];
    const client = clientOf(target, headers);
    for await (const { data } of client.commentAnnotations.pages({ organizationId })) {
      annotations.push(...(data as Loose[]));
    }
    expect(annotations.every(({ comments }) => comments.length > 0)).toBe(true);
    const manifest = manifestOf(await unpacked(content));
    // The events after the cursor, without those that the archive holds, are what is missing.
    const after = { after: manifest.events.cursor, types: ['comment_annotation.add'] };
    const { events } = await source.ok('/v2/events/get', { ...after, limit: 1_000 });
    const held = new Set<string>(manifest.events.alsoHeld);
    const later = events.filter(({ id }: { id: string }) => !held.has(id)).length;
    const all = await source.ok('/v2/commentannotations/count/get', { organizationId });
    expect(annotations.length + later).toBe(all.plan.total);
  });

  it('waits until its manifest can name all events that have no place in the log yet', async () => {
    const headers = await createTenant(source);
    const organizationId = await organize(source, fresh('org'), {}, headers);
    const sequencer = await databaseClient(source.databaseUrl);
    await sequencer.query('SELECT pg_advisory_lock(7241994)');
    await sequencer.query(
      `INSERT INTO event_outbox (tenant_id, id, type, channels, data)
       SELECT $1, 'waiting' || n, 'users.add', '{}', '{}' FROM generate_series(1, 12000) AS n`,
      [headers['x-svc-api-key']],
    );
    const archives = archivesOf(source, headers);
    const { jobId } = dataOf(await archives.call('export', { organizationId }));
    await eventually(async () => {
      const waiting = await sequencer.query(
        `SELECT FROM pgboss.job WHERE name = 'archives.export' AND state = 'retry'`,
      );
      expect(waiting.rowCount).toBe(1);
    });
    await sequencer.end();
    const { archive } = await archives.end(jobId);
    const content = await fetch(archive?.url ?? '');
    const files = await unpacked(new Uint8Array(await content.arrayBuffer()));
    expect(manifestOf(files).events.alsoHeld.length).toBeLessThanOrEqual(10_000);
  });

  it('is refused where the organization exists, and changes nothing', async () => {
    const { content } = await sharedArchive();
    const again = await archivesOf(source).import(content);
    expect(again).toMatchObject(failed(/already exists/));
    const headers = await createTenant(target);
    const other = await archivesOf(target, headers).import(content, 'another');
    expect(other.problem).toMatch(/not the organization another/);
  });

  it.each<[string, Damage, RegExp]>([
    ['a changed row', replace('rows/comments.ndjson', 'Yes', 'Xes'), /was changed/],
    ['a changed file', replace('files/', 'hello', 'Xello'), /was changed/],
    [
      'a path that leads elsewhere',
      (files) => files.with(1, file('../../etc/passwd', '')),
      /instead of/,
    ],
    ['a file too many', (files) => [...files, file('files/x', 'x')], /more than its manifest/],
    ['a file too few', (files) => files.slice(0, -1), /ends too early/],
    [
      'a file too few that its manifest leaves out',
      (files) => manifest(files.slice(0, -1), { files: { count: 0, size: 0 } }),
      /files of some attachments are missing/,
    ],
    ['a file of another size', attachment({ size: 4 }), /does not have the expected size/],
    [
      'a table of an API key',
      tables(([first, ...others]) => [{ ...first, name: 'service_settings' }, ...others]),
      /belongs to an API key/,
    ],
    ['a table that comes twice', tables((all) => [...all, ...all]), /not in the expected order/],
    ['two attachments of one id', duplicated, /attachment .* already exists/],
    ['another version', (files) => manifest(files, { version: 2 }), /manifest does not fit/],
    ['an unknown column', unknownColumn, /does not know users.tenant_id/],
    ['no manifest', (files) => files.slice(1), /instead of manifest.json/],
    [
      'a grant elsewhere',
      rowsWith('grants', { organization_id: 'b' }),
      /rows of another organization/,
    ],
    ['a row that is no JSON', rewrite('users', 'null]['), /rows of users do not fit/],
    ['a row that is nested too deeply', rewrite('users', NESTED_ROW), /rows of users do not fit/],
    ['a path for an attachment', attachment({ attachment_id: '../a' }), /only letters and digits/],
    ['an attachment of no file name', attachment({ name: 'a\r\nx: 1' }), /the name of a file/],
    ['an activity that was changed', tampered, /activity log of .* was changed/],
    ['activities without a chain', without('activity_chains'), /lacks the activity chain of /],
    ['a chain without activities', without('activities'), /activity log of .* was changed/],
    ['a folder in itself', rowsWith('folders', { parent_folder_id: 'plans' }), /is in a circle/],
    ['folders that are nested too deep', nested, /folder deep-99 is .* too deep/],
    ['a grant for no list', rowsWith('grants', { context: { team: 5 } }), /no valid context/],
    ['an annotation for no users', annotation({ visibility: NO_USERS }), /no valid visibility/],
    ['an annotation for no list', annotation({ access: { team: 5 } }), /no valid visibility/],
  ])('is refused with %s', async (_what, damage, problem) => {
    const damaged = await packed(damage((await sharedArchive()).files));
    const headers = await createTenant(target);
    const imported = await archivesOf(target, headers).import(damaged);
    expect(imported).toMatchObject(failed(problem));
    expect(await target.ok('/v2/organizations/get', {}, headers)).toEqual([]);
  });

  it('is refused when it is not a tar file, or was cut off', async () => {
    const { content } = await sharedArchive();
    const archives = archivesOf(target, await createTenant(target));
    expect((await archives.import(content.subarray(0, 5_000))).problem).toMatch(/too early|rows/);
    const none = await archives.import(new Uint8Array(2_048).fill(65));
    expect(none.problem).toMatch(/not a tar file/);
    expect((await archives.import(content)).state).toBe('done');
  });

  it('is not written while a folder is being deleted', async () => {
    const content = { folders: [{ folderId: 'old' }] };
    const organizationId = await organize(source, fresh('org'), content);
    const place = [source.quickstart.apiKey, organizationId];
    await source.app.services.db.pool.query(
      'UPDATE folders SET is_being_deleted = true WHERE tenant_id = $1 AND organization_id = $2',
      place,
    );
    const exported = archivesOf(source).export(organizationId);
    await expect(exported).rejects.toThrow('Export again when that is done');
  });

  it('leaves out attachments whose files are gone', async () => {
    const headers = await createTenant(source);
    const files = attachmentsOf({ call: (to, data) => source.call(to, data, headers) });
    const { organizationId, documentId } = await files.newPlace();
    await files.upload({ organizationId, documentId });
    const folder = path.join(source.dataDir, 'files', headers['x-svc-api-key'] ?? '');
    await rm(folder, { recursive: true });
    const { report } = await archivesOf(source, headers).export(organizationId);
    expect(report).toMatchObject({ files: 0, missingFiles: 1, rows: { attachments: 0 } });
  });
});

it('an API key has at most 20 exports and imports, also when two begin at the same time', async () => {
  const headers = await createTenant(source);
  const begin = (size: number) => {
    const archive = { size, checksum: '0'.repeat(64) };
    return source.call('/v2/organizations/import', { archive }, headers);
  };
  for (let size = 1; size <= 19; size++) dataOf(await begin(size));
  const transfers = await holdTransaction(source.databaseUrl, 'LOCK TABLE transfers IN SHARE MODE');
  const beginning = Promise.all([begin(20), begin(21)]);
  await transfers.holdsUp(2);
  await transfers.release();
  const failures = (await beginning).flatMap(({ body }) => body.error ?? []);
  expect(failures).toMatchObject([{ status: 'RESOURCE_EXHAUSTED' }]);
});

it('an archive is imported within the storage quota of its key alone', async () => {
  const headers = await createTenant(target);
  await quotasOf(target, headers).set({ storageBytes: 100_000 });
  const answer = await archivesOf(target, headers).announce(new Uint8Array(200_000));
  expect(failureOf(answer).status).toBe('RESOURCE_EXHAUSTED');
});

it('an archive of a key brings all organizations and the settings, without secrets', async () => {
  const ours = await createTenant(source);
  const ids = [await fill(source, ours), await organize(source, fresh('org'), {}, ours)];
  const { content } = await archivesOf(source, ours).export();
  expect(Buffer.from(content).includes(ours['x-svc-auth-token'] ?? '-')).toBe(false);
  const theirs = await createTenant(target);
  expect(await archivesOf(target, theirs).import(content)).toMatchObject({ state: 'done' });
  const clients = [clientOf(source, ours), clientOf(target, theirs)] as const;
  const comparison = await compareServers(clients, ids);
  await compareSettings(clients, comparison);
  expect(comparison.differences).toEqual([]);
  const [organizationId = ''] = ids;
  const user = { organizationId, userId: 'ada' };
  const place = { organizationId, documentIds: ['plan'] };
  const annotationId = `${organizationId}-assigned`;
  const activityServiceConfig = { isEnabled: false };
  const changes: Array<[string, string, object]> = [
    ['settings', 'workspace/activityconfig/update', { activityServiceConfig }],
    ['settings', 'workspace/domains/add', { domains: ['example.org'] }],
    ['preferences', 'notifications/config/set', { ...user, ...place, config: { email: 'NONE' } }],
    ['unread', 'commentannotations/read', { ...user, documentId: 'plan', annotationId }],
  ];
  for (const [kind, path, data] of changes) {
    const changed: Comparison = { compared: {}, differences: [] };
    await target.ok(`/v2/${path}`, data, theirs);
    const found = kind === 'settings' ? changed : await compareServers(clients, [organizationId]);
    if (kind === 'settings') await compareSettings(clients, changed);
    expect(found.differences, path).toContainEqual(expect.objectContaining({ kind }));
  }
  const again = await archivesOf(target, theirs).import(content);
  expect(again.problem).toMatch(/this key already has organizations/);
});

let emptyArchive: Promise<{ content: Uint8Array }> | undefined;
it.each([
  ['service_settings', { notification_delay: { delaySeconds: 1e300 } }, /delaySeconds/],
  ['service_settings', { notification_batching: { windowSeconds: {} } }, /windowSeconds/],
  ['service_settings', { email_triggers: { x: 'x'.repeat(2_000_000) } }, /too large/],
  ['api_keys', { allowed_domains: [null] }, /domain/],
  ['api_keys', { allowed_domains: [['example.com'], ['example.org']] }, /domain/],
])(
  'an archive of a key is refused with values in %s that no operation stores (%#)',
  async (...row) => {
    const [table, fields, problem] = row;
    emptyArchive ??= createTenant(source).then((ours) => archivesOf(source, ours).export());
    const files = await unpacked((await emptyArchive).content);
    const changed = await packed(rowsWith(table, fields)(files));
    const headers = await createTenant(target);
    const imported = await archivesOf(target, headers).import(changed);
    expect(imported).toMatchObject(failed(problem));
  },
);

it('an archive of a server with a bucket moves to a server with a disk, and back', async () => {
  const s3 = await startS3();
  const bucket = await startTestServer({
    ...{ S3_ENDPOINT: s3.endpoint, S3_BUCKET: s3.bucket, S3_REGION: s3.region },
    ...{ S3_ACCESS_KEY_ID: s3.accessKeyId, S3_SECRET_ACCESS_KEY: s3.secretAccessKey },
  });
  const { organizationId, content } = await sharedArchive();
  const [inBucket, onDisk] = [await createTenant(bucket), await createTenant(target)];
  const there = await archivesOf(bucket, inBucket).import(content);
  expect(there).toMatchObject({ state: 'done', report: { files: 1 } });
  const second = await archivesOf(bucket, inBucket).export(organizationId);
  expect(second.report).toMatchObject({ files: 1, missingFiles: 0 });
  const back = await archivesOf(target, onDisk).import(second.content);
  expect(back).toMatchObject({ state: 'done', report: { files: 1 } });
  const { differences } = await allOf(organizationId, source.keyHeaders, onDisk);
  expect(differences).toEqual([]);
  const rows = rowsOf(await unpacked(second.content), 'attachments');
  const { attachment_id: attachmentId } = JSON.parse(rows[0] ?? '');
  const place = { organizationId, documentId: 'plan', attachmentId };
  const { url } = dataOf(await attachmentsOf(target).get(place, onDisk));
  expect(await (await fetch(url)).text()).toBe('hello');
});

describe('the files of an import', () => {
  /** The key of the only file of the shared archive, where these credentials import it. */
  async function fileOf(headers: Headers) {
    const [text = ''] = rowsOf((await sharedArchive()).files, 'attachments');
    const row = JSON.parse(text);
    return { row, key: `${headers['x-svc-api-key']}/${row.attachment_id}` };
  }
  const isThere = async (key: string) => {
    const content = await target.app.services.files?.read(key);
    content?.destroy();
    return content !== undefined;
  };

  it('are removed later unless an import was committed, also when a suspended worker goes on with it', async () => {
    const { content, files } = await sharedArchive();
    const [done, damaged] = [await createTenant(target), await createTenant(target)];
    const { state, jobId } = await archivesOf(target, done).import(content);
    expect(state).toBe('done');
    const [whole, left] = [await fileOf(done), await fileOf(damaged)];
    const more = await packed([...files, file('files/x', 'x')]);
    expect((await archivesOf(target, damaged).import(more)).state).toBe('failed');
    expect(await isThere(left.key)).toBe(true);
    const { services } = target.app;
    const suspended = { services, ref: { tenantId: done['x-svc-api-key'] ?? '', jobId } };
    const { row } = whole;
    const again = storeFile(suspended, { source: '', sha256: row.checksum, rows: [row] });
    await expect(again).rejects.toThrow('Another worker has ended this transfer.');
    const problem = 'It failed, since another worker had ended it.';
    await services.db.transaction(async (tx) => endTransfer(tx, suspended.ref, { problem }));
    expect((await archivesOf(target, done).status(jobId)).state).toBe('done');
    await removeFiles({ ...services, clock: clockIn(target, 72) });
    expect([await isThere(left.key), await isThere(whole.key)]).toEqual([false, true]);
  });

  it('are not mixed with other files of their ids', async () => {
    const { content } = await sharedArchive();
    const headers = await createTenant(target);
    const { key } = await fileOf(headers);
    const other = { key, name: 'a', type: 'text/plain', size: 5, checksum: null };
    await target.app.services.files?.put(other, Readable.from([Buffer.from('other')]));
    const imported = await archivesOf(target, headers).import(content);
    expect(imported).toMatchObject(failed(/attachment .* already exists/));
  });
});

describe('a job', () => {
  it('fails once its last attempt does, for whatever reason', async () => {
    const server = await startTestServer({ ROLES: 'api' });
    const { call, status } = archivesOf(server);
    const organizationId = await organize(server, fresh('org'));
    const { jobId } = dataOf(await call('export', { organizationId }));
    const broken = exportHandler([{ name: 'organizations', ofOrganization: sql`1 / 0 = 1` }]);
    const run = async (attempt: number) => {
      const ref = { tenantId: server.quickstart.apiKey, jobId };
      await broken.run(server.app.services, ref, new AbortController().signal, attempt);
    };
    await expect(run(14)).rejects.toThrow('division by zero');
    await run(15);
    expect(await status(jobId)).toMatchObject({
      state: 'failed',
      problem: "The job failed 15 times. The server's log has the reason, with the id of the job.",
    });
  });

  it('leaves no rows in the folder of a process that was killed, once that starts again', async () => {
    const left = await temporaryFolder('test-killed-');
    const folder = path.join(left, 'transfers', 'job');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'users'), '{"user_id":"ada","email":"ada@example.com"}');
    await startTestServer({ DATA_DIR: left });
    expect(await readdir(left)).not.toContain('transfers');
  });

  it('ends after a day, with its archive', async () => {
    const organizationId = await organize(source, fresh('org'));
    const { jobId, archive } = await archivesOf(source).export(organizationId);
    await deleteExpiredTransfers({ ...source.app.services, clock: clockIn(source, 25) });
    const gone = await archivesOf(source).call('transfer_status', { jobId });
    expect(gone.body.error.status).toBe('NOT_FOUND');
    expect((await fetch(archive?.url ?? '')).status).toBe(404);
  });
});

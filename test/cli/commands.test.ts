import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { createServerClient } from '../../src/client/server.ts';
import { execute } from '../support/global-setup.ts';
import { listen } from '../support/listen.ts';
import { runInProcess } from '../support/run-command.ts';
import { emptyDatabase, startTestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const newKey = () => randomBytes(32).toString('base64');
const SECRET_KEY = newKey();
const server = await startTestServer({ SECRET_KEY });
const client = createServerClient(server.quickstart);
const { databaseUrl, dataDir } = server;
const ours = { DATABASE_URL: databaseUrl, SECRET_KEY, DATA_DIR: dataDir, LOG_LEVEL: 'silent' };

const run = (parameters: string[], settings: Record<string, string> = {}) =>
  runInProcess(parameters, { ...ours, ...settings });

const json = async (parameters: string[], settings?: Record<string, string>) => {
  const { code, stdout } = await run([...parameters, '--json'], settings);
  return { code, result: JSON.parse(stdout || 'null') };
};

interface SpawnOptions {
  program?: string;
  settings?: Record<string, string>;
  /** A stream that nobody reads any more, like that of a pipe into `head`. */
  closed?: 'stdout' | 'stderr';
}

/** Runs a process in an environment that has nothing but the settings. */
function spawn(
  parameters: string[],
  { program = 'src/cli/main.ts', settings, closed }: SpawnOptions = {},
) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...ours, ...settings };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const done = (error: Error | null, stdout: string, stderr: string) =>
      resolve({ code: Number(error && 'code' in error ? error.code : 0), stdout, stderr });
    const child = execFile(process.execPath, [program, ...parameters], { env, cwd: ROOT }, done);
    if (closed) child[closed]?.destroy();
  });
}

const addLaterMigration = (url: string) =>
  execute(
    url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
     VALUES ('later', '', '29991231_later', now())`,
  );

describe('the command line', () => {
  it('explains itself, and exits with 2 when it is not understood', async () => {
    const help = await run(['--help']);
    expect(help.code).toBe(0);
    const commands = ['create', 'migrate', 'backup', 'restore', 'doctor', 'verify-activity'];
    for (const command of commands) expect(help.stdout).toContain(`\n  ${command}`);
    const wrong = await spawn(['bakcup', 'file']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('backup');
  });

  it('says in a sentence what the operator can mend, and exits with 1', async () => {
    const elsewhere = await listen(createServer((_request, response) => response.end('<html>')));
    const broken = await temporaryFolder('test-broken-quickstart-');
    const quickstart = path.join(broken, 'quickstart.json');
    await writeFile(quickstart, '{"apiKey":');
    const place = ['--organization', 'acme', '--document', 'launch'];
    const time = '2026-11-26T09:30:00Z';
    const owner = ['--owner-email', 'ada@example.com'];
    const token = ['create', 'token', '--user', 'ada'];
    const failures: Array<[string[], sentence: string, settings?: Record<string, string>]> = [
      [['migrate'], 'PORT: must be a whole number', { PORT: 'many' }],
      [['backup', path.join(dataDir, 'none', 'file')], 'There is no folder'],
      [['backup', dataDir, '--force'], 'is not a file'],
      [['import', dataDir], 'illegal operation on a directory'],
      [['create', 'key', ...owner, '--url', elsewhere], 'is not from this service'],
      [[...token, '--url', 'http://127.0.0.1:9'], 'The server cannot be reached. ('],
      [[...token, '--api-key', 'other'], 'Give the auth token of the API key'],
      [token, `${quickstart} is not valid JSON.\n`, { DATA_DIR: broken }],
      [
        ['secrets:rotate'],
        'relation "auth_tokens" does not exist\n',
        { DATABASE_URL: await emptyDatabase() },
      ],
      [['restore'], 'Give a backup file, or --to.'],
      [['restore', '--to', 'noon', ...place], 'noon is not a time such as'],
      [['restore', '--to', time], 'give --organization and --document'],
      [['restore', 'file', '--to', time, ...place], 'do not give a file'],
      [['restore', 'file', ...place], 'Only --to restores one document'],
      [['restore', '/nowhere/file'], 'There is no file /nowhere/file.'],
    ];
    for (const [parameters, sentence, settings] of failures) {
      const failed = await run(parameters, settings);
      expect(failed).toMatchObject({ code: 1, stdout: '' });
      expect(failed.stderr).toContain(sentence);
      expect(failed.stderr).not.toContain('    at ');
    }
  });

  it('continues when nobody reads its progress, and fails without a stack when nobody reads its result', async () => {
    const file = path.join(dataDir, 'unread.gz');
    expect(await spawn(['backup', file], { closed: 'stderr' })).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(true);
    const unread = await spawn(['migrate', '--check'], { closed: 'stdout' });
    expect(unread).toMatchObject({ code: 1, stderr: 'write EPIPE\n' });
  });

  it('creates no database to read where there is none, and writes the log of one beside its result', async () => {
    const DATA_DIR = await temporaryFolder('test-empty-');
    const settings = { DATABASE_URL: '', DATA_DIR, LOG_LEVEL: 'warn' };
    const stderr = `There is no database in ${DATA_DIR}. Set DATABASE_URL or DATA_DIR.\n`;
    for (const command of [
      ['backup', path.join(dataDir, 'none.gz')],
      ['migrate', '--check'],
    ]) {
      expect(await run(command, settings)).toEqual({ code: 1, stdout: '', stderr });
    }
    const { code, stdout } = await run(['doctor'], settings);
    expect([code, stdout]).toEqual([1, expect.stringContaining('database: There is no database')]);
    expect(await readdir(DATA_DIR)).toEqual([]);

    const failed = await run(['secrets:rotate', '--json'], settings);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('"msg":"PostgreSQL: ERROR');
  });
});

it('migrate brings an empty database to the schema of this version; it and doctor say before what is missing, and later that this version is too old', async () => {
  const settings = { DATABASE_URL: await emptyDatabase() };
  const before = await json(['migrate', '--check'], settings);
  expect(before.code).toBe(1);
  expect(before.result.migrations[0]).toMatch(/_token_revocations$/);
  const { result } = await json(['migrate'], settings);
  expect(result).toEqual({ migrations: before.result.migrations, applied: true });
  const after = await json(['migrate', '--check'], settings);
  expect(after).toMatchObject({ code: 0, result: { migrations: [] } });

  await addLaterMigration(settings.DATABASE_URL);
  const served = await run(['migrate', '--check'], settings);
  expect(served).toMatchObject({ code: 0, stdout: 'The schema is up to date.\n' });
  await execute(settings.DATABASE_URL, `INSERT INTO schema_requirements VALUES ('29991231_later')`);
  const refused = await run(['migrate', '--check'], settings);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('newer than this version');
  expect((await json(['doctor'], settings)).result.findings).toContainEqual(
    expect.objectContaining({ about: 'schema', state: 'problem' }),
  );
});

it('a role that may not create tables is named by migrate, which changes nothing, by doctor and by the server', async () => {
  const url = new URL(await emptyDatabase());
  const role = `role_${randomBytes(6).toString('hex')}`;
  const adminUrl = inject('adminUrl');
  await execute(adminUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  whenFileEnds(() => execute(adminUrl, `DROP ROLE ${role}`));
  const account = { username: role, password: 'secret' };
  const DATABASE_URL = Object.assign(url, account).href;
  const failed = await run(['migrate'], { DATABASE_URL });
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toMatch(/The role \w+ may not create tables.*OWNER TO/);
  expect(failed.stderr).not.toContain('    at ');
  const { stdout } = await run(['doctor'], { DATABASE_URL });
  expect(stdout).toMatch(/PROBLEM {2}schema: The role \w+ may not create tables/);
  expect(stdout).toContain('disk: ');

  const migrated = Object.assign(new URL(databaseUrl), account).href;
  const settings = { DATABASE_URL: migrated, DATA_DIR: path.join(dataDir, 'own') };
  const started = await spawn([], { settings, program: 'src/main.ts' });
  expect(started.code).toBe(1);
  expect(started.stderr).toMatch(/^permission denied for \w+ \w+\n$/);
});

it('restore --to restores every editor of a document by the running server', async () => {
  const editor = { organizationId: 'acme', documentId: 'launch', editorId: 'body' };
  const restore = ['restore', '--organization', 'acme', '--document', 'launch', '--to'];
  const documents = [{ documentId: 'launch' }];
  await client.documents.add({ organizationId: 'acme', createOrganization: true, documents });
  await client.crdt.add({ ...editor, type: 'text', data: 'The plan' });
  const [stored] = await client.crdt.get(editor);
  const at = stored?.lastUpdate ?? 0;
  // The next edit belongs to a later ten seconds of the log.
  await server.app.services.db.pool.query(
    `UPDATE crdt_updates SET created_at = created_at - interval '20 seconds' WHERE tenant_id = $1`,
    [server.quickstart.apiKey],
  );
  await client.crdt.update({ ...editor, type: 'text', data: 'Gone' });
  const { code, result } = await json([...restore, new Date(at).toISOString()]);
  expect({ code, result }).toEqual({ code: 0, result: { at, editors: [{ editorId: 'body' }] } });
  expect((await client.crdt.get(editor))[0]?.data).toBe('The plan');
  const early = await run([...restore, '2020-01-01T00:00:00Z']);
  expect(early.code).toBe(1);
  expect(early.stdout).toContain('body: at: The content at that time is not stored.');
});

it('create makes a workspace, a key in it, and a token that its server accepts', async () => {
  const { adminToken: ADMIN_TOKEN } = server.quickstart;
  const owner = ['--owner-email', 'ada@example.com'];
  const made = await json(['create', 'workspace', ...owner], { ADMIN_TOKEN });
  const { workspaceId, workspaceAuthToken } = made.result;
  const workspace = ['--workspace', workspaceId, '--workspace-auth-token', workspaceAuthToken];
  const key = await json(['create', 'key', ...owner, ...workspace, '--url', `${server.url}/`]);
  const { apiKey, authToken } = key.result;
  const client = createServerClient({ url: server.url, apiKey, authToken });
  await client.users.add({ organizationId: 'acme', users: [{ userId: 'ada' }] });
  const credentials = ['--api-key', apiKey, '--auth-token', authToken];
  const token = await run(['create', 'token', '--user', 'ada', ...credentials]);
  const authorization = `Bearer ${token.stdout.trim()}`;
  const data = { organizationId: 'acme', userId: 'ada' };
  const answer = await server.call('/v2/notifications/get', data, { authorization });
  expect(answer.status).toBe(200);
});

describe('doctor', () => {
  it('finds no problem in a service that has none', async () => {
    const { code, result } = await json(['doctor']);
    const problems = result.findings.filter(({ state }: { state: string }) => state === 'problem');
    expect(problems).toEqual([]);
    expect(code).toBe(0);
    for (const about of ['database', 'clock', 'schema', 'secret key', 'pooler', 'disk']) {
      expect(result.findings).toContainEqual(expect.objectContaining({ about, state: 'fine' }));
    }
  });

  it('finds what does not fit together, and says how to mend it: names of settings, folders, key, processes, schema', async () => {
    await execute(
      databaseUrl,
      `INSERT INTO processes (id, host, pid, roles, version, started_at, seen_at, state)
       SELECT n::text, 'other', n, '{api}', '1', now(), now(), '{"database": {"most": 1000}}'
       FROM generate_series(1, 2) AS n`,
    );
    await addLaterMigration(databaseUrl);
    const { code, stdout } = await run(['doctor'], {
      DATABASE_POOLSIZE: '5',
      FILES_DIR: path.join(dataDir, 'quickstart.json', 'files'),
      SECRET_KEY: newKey(),
    });
    await execute(databaseUrl, `DELETE FROM processes WHERE host = 'other'`);
    await execute(databaseUrl, `DELETE FROM _prisma_migrations WHERE id = 'later'`);
    expect(code).toBe(1);
    for (const line of [
      '-> Did you mean DATABASE_POOL_SIZE?',
      'PROBLEM  disk: FILES_DIR /',
      'PROBLEM  secret key: SECRET_KEY does not decrypt',
      'PROBLEM  redis: REDIS_URL is not set.',
      'warning  connections: ',
      'warning  schema: The schema is newer than this version (29991231_later).',
    ]) {
      expect(stdout).toContain(line);
    }
  });

  it('finds a database, Redis and a store of files that cannot be reached, and shows no password', async () => {
    const { code, stdout } = await run(['doctor'], {
      DATABASE_URL: 'postgresql://nobody:secret@127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      S3_BUCKET: 'files',
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/PROBLEM {2}database: .*127\.0\.0\.1:1/);
    expect(stdout).toContain('PROBLEM  redis: Redis does not respond');
    expect(stdout).toContain('127.0.0.1:1 (S3_ENDPOINT) cannot be reached');
    expect(stdout).not.toContain('secret@');
  });
});

it('verify-activity names the record that was changed, and exits with 1', async () => {
  const activityServiceConfig = { isEnabled: true, immutable: false };
  await client.activityConfig.update({ activityServiceConfig });
  await client.organizations.add({ organizations: [{ organizationId: 'chained' }] });
  const activities = [1, 2, 3].map((n) => ({
    activityId: `activity-${n}`,
    featureType: 'payment',
    actionType: 'payment.release',
    data: { euros: n },
  }));
  await client.activities.add({ organizationId: 'chained', activities });
  const verify = ['verify-activity', '--organization', 'chained'];
  expect(await json(verify)).toMatchObject({ code: 0, result: { valid: true } });
  await execute(
    databaseUrl,
    `UPDATE activities SET content = '{"data":{"euros":9}}' WHERE id = 'activity-2'`,
  );
  const broken = await run(verify);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toContain('record 2 is changed (activity-2)');
});

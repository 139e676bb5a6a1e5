import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from '../../secret-file.ts';
import { reasonOf, StartError } from '../../start-error.ts';
import { type Account, processOptionsFor } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { DatabaseFolder } from './database-folder.ts';
import { tailOf } from './server.ts';
import { DATABASE, SUPERUSER } from './settings.ts';

const UNFINISHED_PREFIX = 'collaboration-unfinished-';

interface DataOptions {
  folders: DatabaseFolder;
  binaries: Binaries;
  account: Account | undefined;
  makePassword: () => string;
}

/** Makes sure that there is a complete data directory of our version, owned by the account. */
export async function prepareData(options: DataOptions): Promise<void> {
  const { folders, binaries, account } = options;
  await removeUnfinished(folders.folder);
  if (!existsSync(folders.data) || readdirSync(folders.data).length === 0)
    await createData(options);
  requireVersion(folders.data, binaries.major);
  // A backup that root restored, for example, belongs to root.
  if (account && statSync(folders.data).uid === 0) {
    spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, folders.data]);
  }
}

async function removeUnfinished(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(UNFINISHED_PREFIX)) continue;
    // An initdb that outlived its parent may still be adding files, hence the retries. rmSync is not
    // used: it leaves such a folder half removed, without an error (seen in Node 24.21).
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Creates the data in a temporary folder and renames it, so that unfinished data is never used. */
async function createData(options: DataOptions): Promise<void> {
  const { folders } = options;
  const temporary = join(folders.folder, `${UNFINISHED_PREFIX}${randomBytes(4).toString('hex')}`);
  try {
    mkdirSync(temporary, { mode: 0o700 });
    renameSync(await createCluster(temporary, options), folders.data);
    syncFolder(folders.folder);
  } catch (error) {
    throw new StartError(
      `The embedded database could not be created in ${folders.data}: ${reasonOf(error)}`,
    );
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Creates a data directory with our superuser and database. Returns its path. */
async function createCluster(temporary: string, { binaries, account, makePassword }: DataOptions) {
  const data = join(temporary, 'data');
  const passwordFile = join(temporary, 'password');
  writeFileSync(passwordFile, `${makePassword()}\n`, { mode: 0o600, flag: 'wx' });
  if (account) {
    for (const owned of [passwordFile, temporary]) chownSync(owned, account.uid, account.gid);
  }
  await run(account, binaries.initdb, initdbArguments(data, passwordFile));
  rmSync(passwordFile);
  // In single-user mode, PostgreSQL needs no port and no password.
  const singleUser = ['--single', '-D', data, '-c', 'exit_on_error=on', 'postgres'];
  await run(account, binaries.postgres, singleUser, `CREATE DATABASE ${DATABASE}\n`);
  return data;
}

function initdbArguments(data: string, passwordFile: string): string[] {
  return [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's own C.UTF-8 sorts the same on every machine and with every libc, so that indexes
    // stay correct when the folder is moved. Its lower() converts more than ASCII.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--no-instructions',
  ];
}

async function run(
  account: Account | undefined,
  command: string,
  parameters: string[],
  input = '',
): Promise<void> {
  const running = promisify(execFile)(command, parameters, processOptionsFor(account));
  // A process that fails before it reads its input is reported by its exit code.
  running.child.stdin?.on('error', () => {}).end(input);
  try {
    await running;
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    throw new Error(
      `${basename(command)} failed. PostgreSQL said:\n${tailOf(output) || reasonOf(error)}`,
    );
  }
}

function requireVersion(data: string, major: string): void {
  const file = join(data, 'PG_VERSION');
  if (!existsSync(file)) {
    throw new StartError(
      `${data} is not a PostgreSQL data directory (it has no PG_VERSION). Move it away to start ` +
        'with an empty database, or restore it from a backup.',
    );
  }
  const written = readFileSync(file, 'utf8').trim();
  if (written === major) return;
  throw new StartError(
    `${data} was written by PostgreSQL ${written}, but this program contains PostgreSQL ${major}. ` +
      `Dump it with PostgreSQL ${written} (pg_dump), move it away, start this program once and ` +
      `restore the dump; or set DATABASE_URL to a PostgreSQL ${written} server with the data.`,
  );
}

import { execFile } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '../../start-error.ts';
import { type Account, processOptionsFor } from './account.ts';
import type { Binaries } from './binaries.ts';
import { lastLines } from './output.ts';
import { DATABASE, SUPERUSER } from './settings.ts';

interface Options {
  workshop: string;
  binaries: Binaries;
  account: Account | undefined;
  password: string;
}

/** Creates a data directory that holds our superuser and database. Returns its path. */
export async function createCluster(options: Options): Promise<string> {
  const { workshop, binaries, account } = options;
  const data = join(workshop, 'data');
  const passwordFile = writePasswordFile(options);
  await run(account, binaries.initdb, initdbArguments(data, passwordFile));
  rmSync(passwordFile);
  // A server of a single user needs no port and no password.
  const single = ['--single', '-D', data, '-c', 'exit_on_error=on', 'postgres'];
  await run(account, binaries.postgres, single, `CREATE DATABASE ${DATABASE}\n`);
  return data;
}

function writePasswordFile({ workshop, account, password }: Options): string {
  const path = join(workshop, 'password');
  writeFileSync(path, `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (account) {
    for (const owned of [path, workshop]) chownSync(owned, account.uid, account.gid);
  }
  return path;
}

function initdbArguments(data: string, passwordFile: string): string[] {
  return [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's own C.UTF-8 sorts the same on every machine and with every libc, so that
    // indexes stay right when the folder moves, and lower() knows more than ASCII.
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
      `${basename(command)} failed. PostgreSQL said:\n${lastLines(output) || reasonOf(error)}`,
    );
  }
}

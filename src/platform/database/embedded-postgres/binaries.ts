import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf, StartError } from '../../start-error.ts';
import { type Account, processOptionsFor } from './account.ts';
import { makeLibraryLinks } from './library-links.ts';
import { findPackage } from './platform-package.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
  /** The major version, which is that of the data directories it can open. */
  major: string;
}

const COPY = 'collaboration-binaries-';

/** Finds executables that the account can run: those of the npm package, or else a copy. */
export function prepareBinaries(folder: string, account: Account | undefined): Binaries {
  const { native, version } = findPackage();
  const copyName = `${COPY}${version}`;
  removeCopies(folder, copyName);
  if (makeLibraryLinks(native)) {
    const binaries = tryBinaries(native, account);
    if (!(binaries instanceof Error)) return binaries;
  }
  // The package lies in a folder closed to the account, or is read-only and lacks its links.
  const copy = copyOnce(native, join(folder, copyName));
  const binaries = tryBinaries(copy, account);
  if (!(binaries instanceof Error)) return binaries;
  throw new StartError(
    `The embedded PostgreSQL does not run on this machine (${binaries.message}). ` +
      'Set DATABASE_URL to a PostgreSQL server.',
  );
}

function tryBinaries(native: string, account: Account | undefined): Binaries | Error {
  const postgres = join(native, 'bin', 'postgres');
  const run = spawnSync(postgres, ['--version'], {
    ...processOptionsFor(account),
    encoding: 'utf8',
  });
  const major = /PostgreSQL\) (\d+)/.exec(run.stdout ?? '')?.[1];
  if (major) return { postgres, initdb: join(native, 'bin', 'initdb'), major };
  return run.error ?? new Error(run.stderr.trim());
}

/** The name holds the version, so that a new version of the package makes a new copy. */
function copyOnce(native: string, copy: string): string {
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.unfinished`;
  try {
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    makeLibraryLinks(unfinished);
    // The package may have been installed for root alone.
    spawnSync('chmod', ['-R', 'a+rX', unfinished]);
    renameSync(unfinished, copy);
  } catch (error) {
    throw new StartError(
      `The PostgreSQL binaries cannot be copied to ${copy} (${reasonOf(error)}). ` +
        'Check the free space there, or set DATABASE_URL.',
    );
  }
  return copy;
}

function removeCopies(folder: string, current: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(COPY) || name === current) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

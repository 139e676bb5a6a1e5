import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { readOrCreateSecret } from '../secret-file.ts';
import { StartError } from '../start-error.ts';
import { accountFor } from './embedded-postgres/account.ts';
import { prepareBinaries } from './embedded-postgres/binaries.ts';
import { prepareData } from './embedded-postgres/data.ts';
import { chooseDatabaseFolder } from './embedded-postgres/database-folder.ts';
import type { ServerLog } from './embedded-postgres/server.ts';
import { startSupervised } from './embedded-postgres/supervisor.ts';

export interface EmbeddedPostgres {
  /** Stays valid when PostgreSQL crashes and is started again. */
  readonly url: string;
  /** Resolves when no process is left. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL server that stops with this process, with its data in DATA_DIR/postgres.
 * The caller holds the lock on DATA_DIR, so any other server on this data is an orphan.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: ServerLog;
}): Promise<EmbeddedPostgres> {
  const { log } = options;
  const dataDir = resolve(options.dataDir);
  const passwordFile = join(dataDir, 'postgres-password');
  const account = accountFor(join(dataDir, 'postgres'));
  const folders = chooseDatabaseFolder(dataDir, account, log);
  const binaries = prepareBinaries(folders.folder, account);
  await prepareData({ folders, binaries, account, makePassword: () => makePassword(passwordFile) });
  const password = readPassword(passwordFile, folders.data);
  return startSupervised({ binaries, account, data: folders.data, password, log });
}

function makePassword(file: string): string {
  return readOrCreateSecret(file, () => randomBytes(24).toString('base64url')).value;
}

/** Reads the password, and never makes one: a new one would give no access to the existing data. */
function readPassword(file: string, data: string): string {
  return readOrCreateSecret(file, () => {
    throw new StartError(
      `${file} is missing, and without it the database in ${data} cannot be opened. ` +
        'Restore the file from a backup, or move the data away to start with an empty database.',
    );
  }).value;
}

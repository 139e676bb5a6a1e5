import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { reasonOf, StartError } from '../../start-error.ts';
import { type Account, canEnter } from './account.ts';
import type { ServerLog } from './server.ts';

export interface DatabaseFolder {
  /** A folder that the account can enter, with the data and, if needed, a copy of the binaries. */
  folder: string;
  /** The data directory inside; it may not exist yet. */
  data: string;
}

/** The parent of the folders for databases whose DATA_DIR the account cannot enter. */
const SHARED_FOLDER = '/var/lib/collaboration-backend';

/**
 * Returns DATA_DIR/postgres; or, if the account cannot enter DATA_DIR (below /root, say), a folder
 * with a random name to which DATA_DIR/postgres links. The name is not derived from the path, so that
 * a DATA_DIR that was deleted and created again starts empty.
 */
export function chooseDatabaseFolder(
  dataDir: string,
  account: Account | undefined,
  log: ServerLog,
) {
  const data = join(dataDir, 'postgres');
  const status = lstatSync(data, { throwIfNoEntry: false });
  if (status?.isSymbolicLink()) return linkedFolder(dataDir, account);
  if (canEnter(account, dataDir)) return { folder: dataDir, data };
  if (status) throw unreachable(data, account);
  linkToSharedFolder(data);
  const folders = linkedFolder(dataDir, account);
  log.info(
    { data: folders.data },
    `User ${account?.name} cannot enter ${dataDir}, so the database is kept in ${folders.data}.`,
  );
  return folders;
}

function linkedFolder(dataDir: string, account: Account | undefined): DatabaseFolder {
  const link = join(dataDir, 'postgres');
  const data = resolve(dirname(link), readlinkSync(link));
  const folder = dirname(data);
  // After an interrupted first start, the folder has no data. If even the folder is gone, data was lost.
  if (!existsSync(folder)) {
    throw new StartError(
      `${link} links to ${data}, which is gone. ` +
        'Restore it from a backup, or remove the link to start with an empty database.',
    );
  }
  if (!canEnter(account, folder)) throw unreachable(data, account);
  requireOwnFolder(folder, dataDir, link);
  return { folder, data };
}

/**
 * Makes sure that the folder belongs to this DATA_DIR, whose path is written into it. A copy of a
 * DATA_DIR links to the folder of the original and must not use it. A DATA_DIR that was moved keeps its
 * folder, because its old path no longer links here.
 *
 * @throws StartError when the folder belongs to another DATA_DIR
 */
function requireOwnFolder(folder: string, dataDir: string, link: string): void {
  const file = join(folder, 'data-dir');
  const ownPath = realpathSync(dataDir);
  const owner = existsSync(file) ? readFileSync(file, 'utf8').trim() : ownPath;
  if (owner !== ownPath && linksTo(join(owner, 'postgres'), readlinkSync(link))) {
    throw new StartError(
      `${link} links to the database of DATA_DIR ${owner}: a copy of DATA_DIR contains only the link, ` +
        'not the data. Remove the link to start with an empty database here.',
    );
  }
  if (owner !== ownPath || !existsSync(file)) writeFileSync(file, `${ownPath}\n`, { mode: 0o600 });
}

function linksTo(link: string, target: string): boolean {
  try {
    return readlinkSync(link) === target;
  } catch {
    return false;
  }
}

function linkToSharedFolder(link: string): void {
  const folder = join(SHARED_FOLDER, randomBytes(8).toString('hex'));
  try {
    for (const path of [SHARED_FOLDER, folder]) {
      mkdirSync(path, { recursive: true });
      chmodSync(path, 0o711);
    }
    symlinkSync(join(folder, 'postgres'), link);
  } catch (error) {
    throw new StartError(
      `The database needs a folder that its user can reach, and ${folder} cannot be created ` +
        `(${reasonOf(error)}). Set DATA_DIR to a folder that all users can enter, or set DATABASE_URL.`,
    );
  }
}

function unreachable(data: string, account: Account | undefined): StartError {
  return new StartError(
    `PostgreSQL runs as user ${account?.name}, who cannot reach ${data}. ` +
      'Move DATA_DIR to a folder that this user can enter, or open the folders above it (chmod o+x).',
  );
}

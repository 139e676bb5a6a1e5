import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readOrCreateSecret, type Secret, writeSecretFile } from './secret-file.ts';
import { reasonOf, StartError } from './start-error.ts';

export interface DataDirectory {
  readonly path: string;
  /** Reads the secret in the file `name`, or creates the file with a new one. */
  secret(name: string, create: () => string): Secret;
  writeSecretFile(name: string, text: string): void;
  /** Lets another process use the folder. May be called twice. */
  release(): void;
}

/** Creates DATA_DIR and locks it for this process until `release`, or until the process ends in any way. */
export function openDataDirectory(path: string): DataDirectory {
  const folder = resolve(path);
  requireFolder('DATA_DIR', folder);
  const lock = takeLock(folder);
  return {
    path: folder,
    secret: (name, create) => readOrCreateSecret(join(folder, name), create),
    writeSecretFile: (name, text) => writeSecretFile(join(folder, name), text),
    release: () => releaseLock(lock),
  };
}

/**
 * Creates the folder that a setting names, if it does not exist.
 *
 * @throws StartError when the process cannot write there
 */
export function requireFolder(setting: string, folder: string): void {
  createFolder(setting, folder);
  requireWritable(setting, folder);
}

function createFolder(setting: string, folder: string): void {
  try {
    // If this process is root, the database runs as another user, who must reach DATA_DIR/postgres. With
    // 0711, that user can pass through the folder without listing it. Every secret inside has 0600.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
    if (existsSync(folder)) return;
    // If the parent exists, mkdir is not recursive: below /proc, a recursive one would never return.
    mkdirSync(folder, { recursive: !existsSync(dirname(folder)), mode });
  } catch (error) {
    throw new StartError(
      `${setting} ${folder} cannot be created (${reasonOf(error)}). ` +
        `Set ${setting} to a folder that this user may write to.`,
    );
  }
}

/** @throws StartError when this process cannot write to the folder that a setting names */
export function requireWritable(setting: string, folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    // SQLite would open a read-only lock file without an error, and then lock nothing.
    if (existsSync(join(folder, 'lock'))) accessSync(join(folder, 'lock'), constants.W_OK);
    if (!statSync(folder).isDirectory()) throw new Error('it is not a folder');
  } catch (error) {
    throw new StartError(
      `${setting} ${folder} is not writable (${reasonOf(error)}). ` +
        `Give it to the user that runs this process, or set ${setting} to another folder.`,
    );
  }
}

/** The locks of this process. Without these references, the garbage collector would release them. */
const heldLocks = new Set<DatabaseSync>();

/**
 * Locks a file in the folder with an exclusive SQLite transaction, since Node has no flock. The lock ends
 * however the process ends, while a plain lock file would remain. No other code may open this file,
 * because closing any handle on it releases the lock (POSIX).
 */
function takeLock(folder: string): DatabaseSync {
  const file = join(folder, 'lock');
  try {
    const lock = new DatabaseSync(file, { timeout: 0 });
    // The transaction never writes, so no journal file is needed next to the lock.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // SQLite would make the file readable for all users, and any reader could lock it.
    chmodSync(file, 0o600);
    heldLocks.add(lock);
    return lock;
  } catch (error) {
    if (isBusy(error)) {
      throw new StartError(
        `DATA_DIR ${folder} is in use by another process. ` +
          'Stop that process, or set DATA_DIR to another folder for this one.',
      );
    }
    throw new StartError(
      `DATA_DIR ${folder} cannot be locked (${file}: ${reasonOf(error)}). ` +
        'If no process uses the folder, remove that file. Otherwise, set DATA_DIR to another folder.',
    );
  }
}

function isBusy(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function releaseLock(lock: DatabaseSync): void {
  if (heldLocks.delete(lock)) lock.close();
}

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf, StartError } from './start-error.ts';

export interface Secret {
  value: string;
  /** Whether the file did not exist before. */
  created: boolean;
}

/**
 * Reads the secret in a file, or creates the file with a new one.
 *
 * @throws StartError when the file cannot be read or written
 */
export function readOrCreateSecret(path: string, create: () => string): Secret {
  if (existsSync(path)) return { value: readSecret(path), created: false };
  const value = create();
  writeSecretFile(path, `${value}\n`);
  return { value, created: true };
}

function readSecret(path: string): string {
  const value = withStartError(path, 'read', () => {
    // A backup may have been restored with wider permissions than the original.
    chmodSync(path, 0o600);
    return readFileSync(path, 'utf8').trim();
  });
  if (value !== '') return value;
  throw new StartError(
    `${path} is empty. Restore it from a backup; if nothing depends on it yet, remove it.`,
  );
}

/** Writes a file that no other user can read. After a crash, the file is complete or absent. */
export function writeSecretFile(path: string, text: string): void {
  withStartError(path, 'written', () => {
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, text, { mode: 0o600, flush: true });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
    syncFolder(dirname(path));
  });
}

/** Flushes a folder to the disk. Without this, a power failure could undo a rename in it. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Runs an action on a file. An error becomes a `StartError`, which says what the operator can do. */
function withStartError<Result>(
  path: string,
  participle: 'read' | 'written',
  action: () => Result,
): Result {
  try {
    return action();
  } catch (error) {
    throw new StartError(
      `${path} cannot be ${participle} (${reasonOf(error)}). ` +
        'Check the free space and the permissions of DATA_DIR.',
    );
  }
}

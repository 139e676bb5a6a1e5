import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf, StartError } from './start-error.ts';

export interface Secret {
  value: string;
  created: boolean;
}

export function readOrMakeSecret(path: string, make: () => string): Secret {
  if (existsSync(path)) return { value: readSecret(path), created: false };
  const value = make();
  writeSecretFile(path, `${value}\n`);
  return { value, created: true };
}

function readSecret(path: string): string {
  const value = guard(path, 'read', () => {
    // A backup may have been restored with wider permissions than the original.
    chmodSync(path, 0o600);
    return readFileSync(path, 'utf8').trim();
  });
  if (value !== '') return value;
  throw new StartError(
    `${path} is empty. Restore it from a backup; if nothing depends on it yet, remove it.`,
  );
}

/** After a crash the file exists completely or not at all, and no other user can read it. */
export function writeSecretFile(path: string, text: string): void {
  guard(path, 'written', () => {
    const temporary = `${path}.${process.pid}.tmp`;
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  });
}

/** Without this, a power failure could undo the rename. */
export function syncFolder(path: string): void {
  // Windows cannot open folders, and keeps renames without being asked.
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function guard<Result>(path: string, done: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw new StartError(
      `${path} cannot be ${done} (${reasonOf(error)}). ` +
        'Check the free space and the permissions of DATA_DIR.',
    );
  }
}

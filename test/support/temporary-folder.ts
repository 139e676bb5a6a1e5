import { statfsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { whenFileEnds } from './when-file-ends.ts';

/** The file system in memory of Linux. It takes a tenth of the time of a disk to create a database. */
const IN_MEMORY = '/dev/shm';
/** Several times the bytes that all folders of a run have at one time. */
const MIN_BYTES = 4 * 1024 ** 3;

/** The folder for temporary folders: in memory if there is enough room. */
export const TEMPORARY = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_BYTES;
  } catch {
    return false;
  }
}

/** A folder that the embedded database's user may enter when the tests run as root. */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(TEMPORARY, prefix));
  await chmod(folder, 0o711);
  return folder;
}

/** Such a folder, which is removed at the end of the test file. */
export async function temporaryFolder(prefix: string): Promise<string> {
  const folder = await makeTemporaryFolder(prefix);
  // A program that was killed may still write its last file.
  whenFileEnds(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

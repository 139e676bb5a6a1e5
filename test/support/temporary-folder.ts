import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { whenFileEnds } from './when-file-ends.ts';

/** A folder that the embedded database's user may enter when the tests run as root. */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
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

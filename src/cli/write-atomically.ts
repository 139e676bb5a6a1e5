import { existsSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../platform/start-error.ts';

/** @throws StartError when the file exists and must not be replaced, is a folder or device, or has no folder */
export function refuseToReplace(file: string, { force }: { force?: boolean }): void {
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) throw new StartError(`${file} is not a file.`);
  const folder = path.dirname(file);
  if (!existsSync(folder)) throw new StartError(`There is no folder ${folder}.`);
  if (!existing || force) return;
  throw new StartError(`${file} already exists. Give another name, or --force to replace it.`);
}

/** Writes a file under a temporary name, and renames it once it is complete. */
export async function writeAtomically<Result>(
  file: string,
  write: (unfinished: string) => Promise<Result>,
): Promise<Result> {
  const unfinished = `${file}.unfinished`;
  try {
    const result = await write(unfinished);
    await rename(unfinished, file);
    return result;
  } finally {
    await rm(unfinished, { force: true });
  }
}

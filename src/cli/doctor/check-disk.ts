import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { type Finding, fine, problem, warning } from './check.ts';

const LITTLE_BYTES = 1_073_741_824;
const TOO_LITTLE_BYTES = 104_857_600;

/** The free space where DATA_DIR is. */
export async function checkDisk({ dataDir, databaseUrl }: Config): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(existingParent(dataDir));
  const free = bavail * bsize;
  const message = `${(free / LITTLE_BYTES).toFixed(1)} GiB are free at ${dataDir}.`;
  const remedy = 'Free some space, or move DATA_DIR to a larger volume.';
  // Without the embedded database, DATA_DIR holds a few small files.
  if (free < TOO_LITTLE_BYTES) return [problem('disk', message, remedy)];
  if (free < LITTLE_BYTES && databaseUrl === undefined) return [warning('disk', message, remedy)];
  return [fine('disk', message)];
}

const existingParent = (folder: string): string =>
  existsSync(folder) ? folder : existingParent(path.dirname(folder));

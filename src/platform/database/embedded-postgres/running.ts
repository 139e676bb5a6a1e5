import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { urlFor } from './settings.ts';

/** The line of postmaster.pid that holds the port. */
const PORT_LINE = 3;

/** Returns the URL of the embedded PostgreSQL that another process runs on this DATA_DIR, if any. */
export function runningEmbeddedUrl(dataDir: string): string | undefined {
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  const passwordFile = join(dataDir, 'postgres-password');
  if (!existsSync(pidFile) || !existsSync(passwordFile)) return undefined;
  const port = Number(readFileSync(pidFile, 'utf8').split('\n')[PORT_LINE]);
  return port > 0 ? urlFor(readFileSync(passwordFile, 'utf8').trim(), port) : undefined;
}

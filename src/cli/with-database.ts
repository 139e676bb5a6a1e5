import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { openDataDirectory } from '../platform/data-directory.ts';
import { runningEmbeddedUrl } from '../platform/database/embedded-postgres/settings.ts';
import { startEmbeddedPostgres } from '../platform/database/embedded-postgres.ts';
import { hostUrls, preferWritableHost } from '../platform/database/hosts.ts';
import { requireSupportedServer } from '../platform/database/server-version.ts';
import { createLogger } from '../platform/logging.ts';
import { StartError } from '../platform/start-error.ts';

/**
 * Calls `work` with the URL of one database server: the host of DIRECT_DATABASE_URL or DATABASE_URL that
 * accepts writes, or else the embedded database. Unless a server is already running the embedded database
 * on this DATA_DIR, it is started for the work, and stopped afterwards.
 *
 * @throws StartError when the database cannot be used
 */
export async function withDatabaseUrl<Result>(
  config: Config,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const running = config.databaseUrl ? undefined : runningEmbeddedUrl(config.dataDir);
  return running && (await isReachable(running))
    ? work(running)
    : withExclusiveDatabase(config, work);
}

/** Like `withDatabaseUrl`, but creates no embedded database if there is none. */
export async function withExistingDatabase<Result>(
  config: Config,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined || existsSync(path.join(dataDir, 'postgres'))) {
    return withDatabaseUrl(config, work);
  }
  throw new StartError(`There is no database in ${dataDir}. Set DATABASE_URL or DATA_DIR.`);
}

/** Like `withDatabaseUrl`, but refuses an embedded database that a running server uses. */
export async function withExclusiveDatabase<Result>(
  config: Config,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const external = config.directDatabaseUrl ?? config.databaseUrl;
  if (external !== undefined) {
    const [url = ''] = hostUrls(await preferWritableHost(external));
    await requireSupportedServer(url);
    return work(url);
  }
  const dataDir = openDataDirectory(config.dataDir);
  try {
    const log = createLogger(config.logLevel, process.stderr);
    const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, log });
    try {
      return await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    dataDir.release();
  }
}

/** Whether a server responds at this URL, whose port comes from a file that a killed server may have left behind. */
async function isReachable(databaseUrl: string): Promise<boolean> {
  try {
    await requireSupportedServer(databaseUrl);
    return true;
  } catch (error) {
    if (error instanceof StartError) return false;
    throw error;
  }
}

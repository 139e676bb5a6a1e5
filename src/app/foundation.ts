import type { Config } from '../config.ts';
import { SEALED_AUTH_TOKEN } from '../features/api-keys/auth-tokens.ts';
import { eventTypes } from '../features/index.ts';
import { Lifecycle } from '../lifecycle.ts';
import type { AsyncDisposables } from '../platform/async-disposables.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type DataDirectory, openDataDirectory } from '../platform/data-directory.ts';
import { Database } from '../platform/database/database.ts';
import { startEmbeddedPostgres } from '../platform/database/embedded-postgres.ts';
import { migrate } from '../platform/database/migrate.ts';
import { requireSupportedServer } from '../platform/database/server-version.ts';
import { EventFeed } from '../platform/events/event-feed.ts';
import { EventLog } from '../platform/events/event-log.ts';
import { newToken } from '../platform/ids.ts';
import { JobQueue } from '../platform/jobs/job-queue.ts';
import { generatedKey, requireSealingKey } from '../platform/key-sentinel.ts';
import { createLogger, type Logger } from '../platform/logging.ts';
import { DueWork } from '../platform/loops/due-work.ts';
import { createMetrics } from '../platform/metrics.ts';
import { Secrets } from '../platform/secrets.ts';

/** Replacements for the external world in tests. */
export interface Surroundings {
  clock?: Clock;
  /** Called with the database before its first statement. */
  onDatabase?: (database: Database) => void;
  /** The time limit for receiving a request. */
  requestTimeoutMs?: number;
  log?: Logger;
  /** Leaves the workspace of a first start empty. */
  withoutDemo?: boolean;
}

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Builds the parts that all others need: data directory, secrets and the migrated database. */
export async function openFoundation(
  config: Config,
  surroundings: Surroundings,
  disposables: AsyncDisposables,
) {
  const clock = surroundings.clock ?? systemClock;
  const log = surroundings.log ?? createLogger(config.logLevel);
  const dataDir = openDataDirectory(config.dataDir);
  disposables.defer(() => dataDir.release());
  const databaseUrl = config.databaseUrl ?? (await startDatabase(dataDir, log, disposables));
  await requireSupportedServer(databaseUrl);
  await migrate(databaseUrl);
  const openDatabase = (poolSize: number) => {
    const opened = new Database({ url: databaseUrl, poolSize, log });
    disposables.defer(() => opened.close());
    surroundings.onDatabase?.(opened);
    return opened;
  };
  const db = openDatabase(config.databasePoolSize);
  const moves = openDatabase(1);
  const secrets = await readSecrets(config, dataDir, db);

  const metrics = createMetrics();
  const dueWork = new DueWork({ db, clock, log, metrics });
  disposables.defer(() => dueWork.stop());
  const events = new EventLog({ db, moves, clock, log, metrics, types: eventTypes });
  disposables.defer(() => events.stop());
  const feed = new EventFeed({ db, databaseUrl, dueWork, events, log, metrics });
  disposables.defer(() => feed.stop());
  const jobs = new JobQueue({ db, dueWork, log, metrics, works: config.roles.has('worker') });
  disposables.defer(() => jobs.stop());
  const { token: adminToken, isNew: adminTokenIsNew } = readAdminToken(config, dataDir);
  const keys = { secrets, adminToken, adminTokenIsNew };
  const lifecycle = new Lifecycle(db);
  const running = { events, feed, jobs, dueWork, lifecycle };
  return { config, clock, log, dataDir, ...keys, db, metrics, ...running };
}

async function startDatabase(
  dataDir: DataDirectory,
  log: Logger,
  disposables: AsyncDisposables,
): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, log });
  disposables.defer(() => postgres.stop());
  return postgres.url;
}

/** @throws StartError when SECRET_KEY is not the key of this database. */
async function readSecrets(config: Config, dataDir: DataDirectory, db: Database) {
  const secretKey = config.secretKey ?? (await generatedKey(db, dataDir, SEALED_AUTH_TOKEN));
  const bytes = (key: string) => Buffer.from(key, 'base64');
  const secrets = new Secrets(bytes(secretKey), config.previousSecretKeys.map(bytes));
  await requireSealingKey(db, secrets, SEALED_AUTH_TOKEN);
  return secrets;
}

function readAdminToken({ adminToken }: Config, dataDir: DataDirectory) {
  if (adminToken) return { token: adminToken, isNew: false };
  const { value, created } = dataDir.secret('admin-token', newToken);
  return { token: value, isNew: created };
}

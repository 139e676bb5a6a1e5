import { hostname } from 'node:os';
import type { Config } from '../config.ts';
import { eventTypes } from '../features/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type DataDirectory, openDataDirectory } from '../platform/data-directory.ts';
import { Database } from '../platform/database/database.ts';
import { DatabaseClock } from '../platform/database/database-clock.ts';
import { startEmbeddedPostgres } from '../platform/database/embedded-postgres.ts';
import { preferWritableHost } from '../platform/database/hosts.ts';
import { migrate } from '../platform/database/migrate.ts';
import type { PoolOptions } from '../platform/database/open-pool.ts';
import { Replica } from '../platform/database/replica.ts';
import { ReplicaReads } from '../platform/database/replica-reads.ts';
import { setRoleDefaults } from '../platform/database/role-defaults.ts';
import {
  requireSameDatabase,
  requireSupportedServer,
} from '../platform/database/server-version.ts';
import { EventFeed } from '../platform/events/event-feed.ts';
import { EventLog } from '../platform/events/event-log.ts';
import { newToken } from '../platform/ids.ts';
import { JobQueue } from '../platform/jobs/job-queue.ts';
import { generatedKey, requireSealingKey } from '../platform/key-sentinel.ts';
import { createLogger, type Logger } from '../platform/logging.ts';
import { DueWork } from '../platform/loops/due-work.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import { Lifecycle } from '../platform/processes/lifecycle.ts';
import { Secrets } from '../platform/secrets.ts';
import { Tracing } from '../platform/tracing/tracing.ts';
import { COMMIT, VERSION } from '../platform/version.ts';

/** Replacements for parts of the server's surroundings, for tests. */
export interface Surroundings {
  clock?: Clock;
  /** Called with the database before its first statement. */
  onDatabase?: (database: Database) => void;
  /** The time limit for receiving a request. */
  requestTimeoutMs?: number;
  log?: Logger;
  /** Leaves the workspace of the first start empty. */
  withoutDemo?: boolean;
}

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Builds the parts that all others need: data directory, secrets and the migrated database. */
export async function openFoundation(
  config: Config,
  surroundings: Surroundings,
  disposables: AsyncDisposableStack,
) {
  const roles = [...config.roles].join(',');
  const log = surroundings.log ?? createProcessLogger(config.logLevel, roles);
  const tracing = await createTracing(config, roles);
  disposables.defer(() => tracing.stop());
  const dataDir = openDataDirectory(config.dataDir);
  disposables.defer(() => dataDir.release());
  const { databaseUrl, directUrl } = await findDatabase(config, dataDir, log, disposables);
  await requireSupportedServer(directUrl, log);
  const isPooled = directUrl !== databaseUrl;
  if (isPooled) {
    // Set the defaults before the check, which makes the pooler open a connection: a connection keeps the
    // defaults that it was opened with.
    await setRoleDefaults(directUrl, databaseUrl, log);
    await requireSameDatabase(directUrl, databaseUrl);
  }
  await migrate(directUrl, { log });
  const metrics = createMetrics();
  metrics.build.set({ version: VERSION, commit: COMMIT, roles, node: process.version }, 1);
  const openDatabase = (name: string, options: Partial<PoolOptions> = {}) => {
    const { databasePoolSize: poolSize, preparesStatements } = config;
    const defaults = { url: databaseUrl, poolSize, log, isPooled, preparesStatements };
    const database = new Database({ ...defaults, ...options });
    disposables.defer(() => database.close());
    metrics.pools.set(name, database);
    surroundings.onDatabase?.(database);
    return database;
  };
  const db = openDatabase('main');
  const clock = surroundings.clock ?? (await DatabaseClock.of(db));
  const sequencerDb = openDatabase('event-sequencer', { poolSize: 1 });
  const openReplica = (url: string) => {
    // The URL leads to the replica itself, even if a pooler is in front of the primary.
    const replica = openDatabase('replica', { url, isPooled: false, preparesStatements: true });
    return new ReplicaReads(db, new Replica({ primary: db, replica, log, metrics }));
  };
  const replicaReads = config.readDatabaseUrl ? openReplica(config.readDatabaseUrl) : db;
  const secrets = await readSecrets(config, dataDir, db);

  const dueWork = new DueWork({ db, clock, log, metrics });
  disposables.defer(() => dueWork.stop());
  const events = new EventLog({ db, sequencerDb, clock, log, metrics, types: eventTypes });
  disposables.defer(() => events.stop());
  const feed = new EventFeed({ db, databaseUrl: directUrl, dueWork, log, metrics });
  disposables.defer(() => feed.stop());
  const jobs = new JobQueue({ db, dueWork, log, metrics, runsJobs: config.roles.has('worker') });
  return {
    config,
    clock,
    log,
    metrics,
    tracing,
    dataDir,
    secrets,
    ...readAdminToken(config, dataDir),
    db,
    replicaReads,
    events,
    feed,
    jobs,
    dueWork,
    lifecycle: new Lifecycle(db),
  };
}

const createProcessLogger = (level: string, role: string): Logger =>
  createLogger(level, undefined, { process: process.pid, host: hostname(), role });

/** Loads OpenTelemetry only if traces are exported. */
async function createTracing(config: Config, roles: string): Promise<Tracing> {
  const { otlpEndpoint: endpoint, otelTraceRatio: ratio } = config;
  if (endpoint === undefined) return new Tracing();
  const { createOtlpTracer } = await import('../platform/tracing/otlp-tracer.ts');
  const resource = {
    'service.name': config.otelServiceName,
    'service.version': VERSION,
    'host.name': hostname(),
    'process.pid': process.pid,
    roles,
  };
  return new Tracing(createOtlpTracer({ endpoint, ratio, resource }));
}

/** Returns the URL for transactions, and the direct URL for sessions. Without a pooler they are the same. */
async function findDatabase(
  config: Config,
  dataDir: DataDirectory,
  log: Logger,
  disposables: AsyncDisposableStack,
) {
  if (config.databaseUrl === undefined) {
    const { url, stop } = await startEmbeddedPostgres({ dataDir: dataDir.path, log });
    disposables.defer(stop);
    return { databaseUrl: url, directUrl: url };
  }
  const databaseUrl = await preferWritableHost(config.databaseUrl);
  const { directDatabaseUrl: direct } = config;
  return { databaseUrl, directUrl: direct ? await preferWritableHost(direct) : databaseUrl };
}

/** @throws StartError when SECRET_KEY is not the key of this database. */
async function readSecrets(config: Config, dataDir: DataDirectory, db: Database) {
  const secretKey = config.secretKey ?? (await generatedKey(db, dataDir));
  const bytes = (key: string) => Buffer.from(key, 'base64');
  const secrets = new Secrets(bytes(secretKey), config.previousSecretKeys.map(bytes));
  await requireSealingKey(db, secrets);
  return secrets;
}

function readAdminToken({ adminToken }: Config, dataDir: DataDirectory) {
  if (adminToken) return { adminToken, isAdminTokenNew: false };
  const { value, created } = dataDir.secret('admin-token', newToken);
  return { adminToken: value, isAdminTokenNew: created };
}

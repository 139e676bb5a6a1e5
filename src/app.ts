// This import comes first, since it compiles all schemas that are created later.
import 'zod/compile';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Spelling } from './api/body/spelling.ts';
import type { Services } from './api/context.ts';
import { CREDENTIALS_CHANNEL, CredentialCache } from './api/credentials/credential-cache.ts';
import { FailedCredentials } from './api/credentials/failed-credentials.ts';
import { KeyedCalls } from './api/idempotency/keyed-calls.ts';
import { createRateLimiter, requestRate } from './api/limits/rate-limit.ts';
import { WorkLimits } from './api/limits/work-limits.ts';
import { Quotas } from './api/quotas/quotas.ts';
import { createHttpServer, createMetricsServer } from './api/server.ts';
import { OpenStreams } from './api/subscriptions/open-streams.ts';
import type { Config } from './config.ts';
import { changesAccess } from './features/access/access-events.ts';
import { SEALED_AUTH_TOKEN } from './features/api-keys/auth-tokens.ts';
import {
  appRouter,
  eventReaders,
  eventTypes,
  jobHandlers,
  periodicTasks,
  workers,
} from './features/index.ts';
import { USER_REWRITE_RATE, USER_REWRITES } from './features/rewriter/user-rewrites.ts';
import { QUEUES_CHANNEL } from './features/webhooks/queues.ts';
import { createQuickstart } from './features/workspaces/quickstart.ts';
import { Lifecycle } from './lifecycle.ts';
import { type ListenAddress, listenProblem } from './listen-problem.ts';
import { AsyncDisposables } from './platform/async-disposables.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { type DataDirectory, openDataDirectory } from './platform/data-directory.ts';
import { Database } from './platform/database/database.ts';
import { startEmbeddedPostgres } from './platform/database/embedded-postgres.ts';
import { migrate } from './platform/database/migrate.ts';
import { requireSupportedServer } from './platform/database/server-version.ts';
import { EventFeed } from './platform/events/event-feed.ts';
import { EventLog } from './platform/events/event-log.ts';
import { EventReaders } from './platform/events/event-reader.ts';
import { newToken } from './platform/ids.ts';
import { JobQueue } from './platform/jobs/job-queue.ts';
import { generatedKey, requireSealingKey } from './platform/key-sentinel.ts';
import { KeyedSemaphore } from './platform/keyed-semaphore.ts';
import { LiveBus } from './platform/live-bus/live-bus.ts';
import { createLogger, type Logger } from './platform/logging.ts';
import { DueWork } from './platform/loops/due-work.ts';
import { PeriodicTasks } from './platform/loops/periodic-tasks.ts';
import { createMailer } from './platform/mail/create-mailer.ts';
import { createMetrics } from './platform/metrics.ts';
import { createOutboundAgent } from './platform/outbound/agent.ts';
import { connectRedis } from './platform/redis.ts';
import { Secrets } from './platform/secrets.ts';
import { WakeUps, Workers } from './platform/worker.ts';
import { WorkerPool } from './platform/worker-pool.ts';
import { createRealtime, type Realtime } from './realtime/realtime.ts';

export interface App {
  readonly services: Services;
  /** The URL of the started server. */
  readonly url: string;
  start(): Promise<void>;
  /**
   * Refuses new requests, finishes running ones, stores open documents, and releases all resources.
   */
  stop(): Promise<void>;
}

/** Replacements for the external world in tests. */
export interface Surroundings {
  clock?: Clock;
  /** Called with the database before its first statement. */
  onDatabase?: (database: Database) => void;
  /** The time limit for receiving a request. */
  requestTimeoutMs?: number;
  log?: Logger;
}

/** Further calls are refused, so that callers soon learn that models are busy. */
const MODEL_CALLS_WAITING = { maxWaiting: 100, maxWaitMs: 30_000 };

/** Builds every part once, in order, and passes it on. There are no singletons. */
export async function createApp(config: Config, surroundings: Surroundings = {}): Promise<App> {
  const disposables = new AsyncDisposables();
  try {
    const foundation = await openFoundation(config, surroundings, disposables);
    const { dataDir, adminTokenIsNew, feed, lifecycle } = foundation;
    const { services, realtime } = createServices(foundation, disposables);
    const tasks = new PeriodicTasks(foundation, periodicTasks);
    disposables.defer(() => tasks.stop());
    const readers = new EventReaders(foundation, eventReaders);
    disposables.defer(() => readers.stop());
    const working = new Workers(workers);
    disposables.defer(() => working.stop());
    const { requestTimeoutMs } = surroundings;
    const http = await createHttpServer(services, appRouter, lifecycle, requestTimeoutMs);
    // Both close together, since the server waits for its sockets and streams.
    disposables.defer(() =>
      Promise.all([http.close(), realtime.closeConnections(), services.streams.close()]),
    );
    disposables.defer(() => services.modelCalls.stop());
    disposables.defer(() => lifecycle.enter('stopping'));
    const served = { services, http, realtime, feed, tasks, readers, working };
    return new RunningApp({ ...served, dataDir, adminTokenIsNew, disposables, lifecycle });
  } catch (error) {
    await disposables.disposeAsync();
    throw error;
  }
}

type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Builds the parts that all others need: data directory, secrets and the migrated database. */
async function openFoundation(
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
  const feed = new EventFeed({ db, databaseUrl, dueWork, log, metrics });
  disposables.defer(() => feed.stop());
  const jobs = new JobQueue({ db, dueWork, log, metrics, works: config.roles.has('worker') });
  disposables.defer(() => jobs.stop());
  const { token: adminToken, isNew: adminTokenIsNew } = readAdminToken(config, dataDir);
  const keys = { secrets, adminToken, adminTokenIsNew };
  const lifecycle = new Lifecycle(db);
  const running = { events, feed, jobs, dueWork, lifecycle };
  return { config, clock, log, dataDir, ...keys, db, metrics, ...running };
}

/** Builds the services for operations, and the realtime side, which provides the live documents. */
function createServices(foundation: Foundation, disposables: AsyncDisposables) {
  const { config, clock, log, db, metrics, events, jobs, dueWork, secrets } = foundation;
  const redis = connectLimits(foundation);
  disposables.defer(() => redis?.disconnect());
  // Networks that are allowed for the operator's gateways stay forbidden for customers' URLs.
  const gateways = createOutboundAgent([
    ...config.outboundAllowedNetworks,
    ...config.gatewayAllowedNetworks,
  ]);
  disposables.defer(() => gateways.destroy());
  const mailer = createMailer(config.smtpUrl, log);
  disposables.defer(() => mailer.close());
  const workerPool = new WorkerPool();
  disposables.defer(() => workerPool.stop());
  const perMinute = config.failedCredentialsPerMinute;
  const failedCredentials = new FailedCredentials({ perMinute, clock, log });
  const credentials = new CredentialCache();
  foundation.feed.listen(CREDENTIALS_CHANNEL, (owner) => credentials.forget(owner));
  const quotas = new Quotas({ ...foundation, defaults: config.quotas });
  disposables.defer(() => quotas.stop());
  const realtime = createRealtime({ ...foundation, workerPool, failedCredentials, quotas });
  disposables.defer(() => realtime.stop());
  const live = new LiveBus({ ...foundation, changesAccess });
  disposables.defer(() => live.stop());
  const streams = new OpenStreams({ db, clock, log, metrics });
  disposables.defer(() => streams.stop());
  const wakeUps = new WakeUps();
  foundation.feed.listen(QUEUES_CHANNEL, () => wakeUps.emit('deliveries'));
  const keyedCalls = new KeyedCalls(foundation);
  disposables.defer(() => keyedCalls.stop());
  const publicUrl = config.publicUrl ?? baseUrl(config.host, config.port);
  const services: Services = {
    config: { ...config, adminToken: foundation.adminToken, publicUrl },
    db,
    events,
    jobs,
    secrets,
    clock,
    log,
    metrics,
    rateLimiter: createRateLimiter(requestRate(config.rateLimitPerSecond), redis),
    credentials,
    failedCredentials,
    keyedCalls,
    quotas,
    workLimits: new WorkLimits(config.workLimits, metrics),
    liveDocuments: realtime.liveDocuments,
    live,
    streams,
    spelling: new Spelling(appRouter),
    gateways,
    modelCalls: new KeyedSemaphore({
      ...MODEL_CALLS_WAITING,
      perKey: config.aiCallsPerWorkspace,
      onWaiting: (count) => metrics.aiCallsWaiting.set(count),
    }),
    userRewrites: new KeyedSemaphore(USER_REWRITES),
    userRewriteRate: createRateLimiter(USER_REWRITE_RATE, redis),
    mailer,
    dueWork,
    wakeUps,
    workerPool,
  };
  return { services, realtime };
}

interface Parts {
  services: Services;
  http: FastifyInstance;
  realtime: Realtime;
  feed: EventFeed;
  tasks: PeriodicTasks<Services>;
  readers: EventReaders<Services>;
  working: Workers<Services>;
  dataDir: DataDirectory;
  adminTokenIsNew: boolean;
  disposables: AsyncDisposables;
  lifecycle: Lifecycle;
}

class RunningApp implements App {
  readonly services: Services;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.services = parts.services;
    this.#parts = parts;
  }

  get url(): string {
    const { port } = this.#parts.http.server.address() as AddressInfo;
    return baseUrl(this.services.config.host, port);
  }

  async start(): Promise<void> {
    const { services, http, realtime, feed, dataDir, adminTokenIsNew, lifecycle } = this.#parts;
    const { config, events, jobs, log, streams } = services;
    services.dueWork.start();
    events.start(services.dueWork);
    feed.start();
    realtime.start();
    if (config.roles.has('realtime')) realtime.serve(http.server);
    streams.start();
    try {
      if (config.roles.has('api')) await services.live.start();
      await jobs.start(jobHandlers, services);
      await this.#startWorkers();
      await listen(http, { host: config.host, port: config.port, setting: 'PORT' });
      await this.#serveMetrics();
    } catch (error) {
      await this.stop();
      throw error;
    }
    if (config.port === 0) config.publicUrl = this.url;
    log.info({ url: this.url }, 'listening');
    const isShown = !config.production && (await createQuickstart(services, dataDir));
    if (adminTokenIsNew && !isShown) {
      process.stdout.write(
        `Admin token (shown once; kept in ${dataDir.path}): ${config.adminToken}\n`,
      );
    }
    lifecycle.enter('serving');
  }

  async #serveMetrics(): Promise<void> {
    const { services, disposables } = this.#parts;
    const { host, metricsPort: port } = services.config;
    if (port === undefined) return;
    const server = createMetricsServer(services);
    disposables.defer(() => server.close());
    await listen(server, { host, port, setting: 'METRICS_PORT' });
  }

  async #startWorkers(): Promise<void> {
    const { services, tasks, readers, working } = this.#parts;
    await readers.register();
    if (!services.config.roles.has('worker')) return;
    tasks.start(services);
    working.start(services);
    readers.start(services);
  }

  stop(): Promise<void> {
    return this.#parts.disposables.disposeAsync();
  }
}

async function listen(server: FastifyInstance, where: ListenAddress): Promise<void> {
  try {
    await server.listen({ host: where.host, port: where.port });
  } catch (error) {
    throw listenProblem(error as NodeJS.ErrnoException, where);
  }
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

/** Connects the rate limits that all processes share. */
function connectLimits({ config, log, metrics, lifecycle }: Foundation) {
  if (config.redisUrl === undefined) return undefined;
  const onChange = (answers: boolean) => {
    metrics.redisUp.set({ connection: 'limits' }, Number(answers));
    lifecycle.lacks('Redis', !answers);
  };
  return connectRedis(config.redisUrl, { log, onChange }, { enableOfflineQueue: false });
}

const baseUrl = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

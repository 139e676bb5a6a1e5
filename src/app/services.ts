import { Spelling } from '../api/body/spelling.ts';
import type { Services } from '../api/context.ts';
import { CREDENTIALS_CHANNEL, CredentialCache } from '../api/credentials/credential-cache.ts';
import { FailedCredentials } from '../api/credentials/failed-credentials.ts';
import { KeyedCalls } from '../api/idempotency/keyed-calls.ts';
import { WorkLimits } from '../api/limits/work-limits.ts';
import { Quotas } from '../api/quotas/quotas.ts';
import { OpenStreams } from '../api/subscriptions/open-streams.ts';
import { changesAccess } from '../features/access/access-events.ts';
import { appRouter, eventReaders, queues } from '../features/index.ts';
import { USER_REWRITE_PERMITS, USER_REWRITE_RATE } from '../features/rewriter/user-rewrites.ts';
import { QUEUES_CHANNEL } from '../features/webhooks/queues.ts';
import { AGENT_CALLS, AGENT_WRITES } from '../mcp/budgets.ts';
import { requireFolder } from '../platform/data-directory.ts';
import { ERASED_CHANNEL } from '../platform/events/event-feed.ts';
import { outboxQueue, readerQueue } from '../platform/events/event-queues.ts';
import { DiskStore } from '../platform/files/disk-store.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import { S3Store } from '../platform/files/s3-store.ts';
import { jobQueues } from '../platform/jobs/job-queue.ts';
import { KeyedSemaphore } from '../platform/limits/keyed-semaphore.ts';
import { createRateLimiter, requestRate } from '../platform/limits/rate-limiter.ts';
import { LiveBus } from '../platform/live-bus/live-bus.ts';
import { createMailer } from '../platform/mail/create-mailer.ts';
import { createOutboundAgent } from '../platform/outbound/agent.ts';
import { Backlog } from '../platform/processes/backlog.ts';
import { WakeUps } from '../platform/worker.ts';
import { WorkerPool } from '../platform/worker-pool.ts';
import { createRealtime } from '../realtime/realtime.ts';
import type { Foundation } from './foundation.ts';
import { baseUrl } from './listen.ts';

/** Limits for calls that wait for a model. Calls beyond `maxWaiting` would time out, so they are refused at once. */
const MODEL_CALLS_WAITING = { maxWaiting: 100, maxWaitMs: 30_000 };

/** Builds the services for operations, and the realtime side, which provides the live documents. */
export async function createServices(foundation: Foundation, disposables: AsyncDisposableStack) {
  const { config, clock, log, db, metrics, tracing, events, jobs, dueWork, secrets } = foundation;
  const redis = await connectRedisForLimits(foundation);
  disposables.defer(() => redis?.disconnect());
  // Only requests to the operator's gateways may enter these networks. Customers' URLs may not lead there.
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
  const failedCredentials = new FailedCredentials({ perMinute, log });
  const credentials = new CredentialCache();
  foundation.feed.listen(CREDENTIALS_CHANNEL, (owner) => credentials.forget(owner));
  const quotas = new Quotas({ ...foundation, defaults: config.quotas });
  disposables.defer(() => quotas.stop());
  const realtime = await createRealtime({ ...foundation, workerPool, failedCredentials, quotas });
  disposables.defer(() => realtime.stop());
  const live = new LiveBus({ ...foundation, changesAccess });
  disposables.defer(() => live.stop());
  const streams = new OpenStreams({ db, clock, log, metrics });
  disposables.defer(() => streams.stop());
  foundation.feed.listen(CREDENTIALS_CHANNEL, () => streams.checkNow());
  const wakeUps = new WakeUps();
  // The payload is the database id of the process that owns the queue, or empty for all processes.
  foundation.feed.listen(QUEUES_CHANNEL, (owner) => {
    if (!owner || owner === db.id) wakeUps.emit('deliveries');
  });
  foundation.feed.listen(ERASED_CHANNEL, (tenantId) => {
    live.forgetEvents(tenantId);
    wakeUps.emit('erased', tenantId);
  });
  const keyedCalls = new KeyedCalls(foundation);
  disposables.defer(() => keyedCalls.stop());
  const publicUrl = config.publicUrl ?? baseUrl(config.host, config.port);
  const services: Services = {
    config: { ...config, adminToken: foundation.adminToken, publicUrl },
    db,
    replicaReads: foundation.replicaReads,
    events,
    jobs,
    secrets,
    // With PORT=0, the public address is known only once the server listens.
    files: createFileStore(foundation, () => services.config.publicUrl),
    clock,
    log,
    metrics,
    tracing,
    backlog: new Backlog([outboxQueue, ...eventReaders.map(readerQueue), ...jobQueues, ...queues]),
    gate: {
      credentials,
      failedCredentials,
      rateLimiter: createRateLimiter(requestRate(config.rateLimitPerSecond), redis),
      workLimits: new WorkLimits(config.workLimits, metrics),
      keyedCalls,
      spelling: new Spelling(appRouter),
      streams,
    },
    quotas,
    liveDocuments: realtime.liveDocuments,
    live,
    gateways,
    modelLimits: {
      calls: new KeyedSemaphore({
        ...MODEL_CALLS_WAITING,
        perKey: config.aiCallsPerWorkspace,
        onWaiting: (count) => metrics.aiCallsWaiting.set(count),
      }),
      userCalls: new KeyedSemaphore(USER_REWRITE_PERMITS),
      userRate: createRateLimiter(USER_REWRITE_RATE, redis),
    },
    agentLimits: {
      calls: createRateLimiter(AGENT_CALLS, redis),
      writes: createRateLimiter(AGENT_WRITES, redis),
    },
    mailer,
    dueWork,
    wakeUps,
    workerPool,
  };
  return { services, realtime };
}

/** Returns undefined if processes share no folder and no bucket. Uploads are then refused. */
function createFileStore(
  { config, secrets, clock, log }: Foundation,
  publicUrl: () => string,
): FileStore | undefined {
  const { s3, filesDir: folder } = config;
  if (s3) return new S3Store(s3);
  if (folder !== undefined) {
    requireFolder('FILES_DIR', folder);
    return new DiskStore({ folder, secrets, clock, publicUrl });
  }
  log.warn(
    {},
    'Attachments are off: set S3_BUCKET, or FILES_DIR to a folder that all processes share.',
  );
  return undefined;
}

/** Connects to Redis, which holds the counters of rate limits that all processes share. */
async function connectRedisForLimits({ config, log, metrics, lifecycle }: Foundation) {
  if (config.redisUrl === undefined) return undefined;
  const onChange = (isReachable: boolean) => {
    metrics.redisUp.set({ connection: 'limits' }, Number(isReachable));
    lifecycle.isRedisMissing = !isReachable;
  };
  const { connectRedis } = await import('../platform/redis.ts');
  return connectRedis(config.redisUrl, { log, onChange }, { enableOfflineQueue: false });
}

import { z } from 'zod';
import type { RequestContext } from '../../api/context.ts';
import { consoleOperation, router } from '../../api/procedures.ts';
import {
  type ProcessHistory,
  readProcessHistory,
} from '../../platform/processes/process-history.ts';
import { VERSION } from '../../platform/version.ts';
import {
  attention,
  brokenChains,
  countChains,
  failingEndpoints,
  isGone,
  lostProcesses,
  lostSealingKey,
  ownFailingEndpoints,
  recentErrors,
  slowQueues,
  withoutRedis,
} from './attention.ts';
import { ownKeys } from './own-keys.ts';
import { readWorstRequests, worstRequests } from './requests.ts';

const MINUTE_MS = 60_000;
/** The length of a span of the series, by that of the whole time: at most 97 spans. */
const SPANS = {
  hour: { ms: 60 * MINUTE_MS, bucketSeconds: 60 },
  day: { ms: 24 * 60 * MINUTE_MS, bucketSeconds: 900 },
} as const;

const queueState = z.object({ waiting: z.number(), oldestSeconds: z.number() });

const total = z.object({
  requests: z.number(),
  errors: z.number(),
  deliveries: z.number(),
  failedDeliveries: z.number(),
  p50Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  liveDocuments: z.number(),
  liveConnections: z.number(),
  loopDelayMs: z.number(),
  backlog: z.record(z.string(), queueState),
});

const span = z.object({ at: z.number(), ...total.shape });

const seenProcess = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  roles: z.array(z.string()),
  version: z.string(),
  health: z.enum(['running', 'stopped', 'gone']),
  startedAt: z.number(),
  seenAt: z.number(),
  state: z.object({
    liveDocuments: z.number(),
    liveConnections: z.number(),
    subscriptions: z.number(),
    sockets: z.number(),
    database: z.object({ inUse: z.number(), idle: z.number(), waiting: z.number() }),
    redis: z.boolean().nullable(),
    loopDelayMs: z.number(),
    memoryBytes: z.number(),
  }),
});

const overview = z.object({
  /** Of this process. */
  version: z.string(),
  attention: z.array(attention),
  /** Figures of all tenants; null for people of one workspace or key. */
  server: z
    .object({
      series: z.array(span),
      total,
      processes: z.array(seenProcess),
      /** The work that waits now. */
      queues: z.array(z.object({ queue: z.string(), ...queueState.shape })),
      requests: worstRequests,
      /** Activity chains of all organizations. */
      chains: z.object({ chains: z.number(), verified: z.number() }),
    })
    .nullable(),
});

export const overviewRouter = router({
  /**
   * How the server does, and what needs attention. People of one workspace or key see only their
   * own endpoints, since the rest tells how busy others are.
   */
  read: consoleOperation
    .input(z.strictObject({ span: z.enum(['hour', 'day']).default('hour') }))
    .output(overview)
    .query(async ({ ctx, input }): Promise<z.infer<typeof overview>> => {
      const keys = await ownKeys(ctx.db, ctx.signedIn.bounds);
      if (!keys) return readServer(ctx, SPANS[input.span]);
      const found = await Promise.all([
        brokenChains(ctx.db, keys),
        ownFailingEndpoints(ctx.db, keys),
      ]);
      return { version: VERSION, attention: found.flat(), server: null };
    }),
});

async function readServer(
  ctx: RequestContext,
  { ms, bucketSeconds }: (typeof SPANS)[keyof typeof SPANS],
): Promise<z.infer<typeof overview>> {
  const now = ctx.clock.now();
  // Processes write once a minute, so the present one would always look as if nothing happened.
  const until = new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS);
  const since = new Date(until.getTime() - ms);
  const [history, queues, endpoints, sealing, broken, chains, requests] = await Promise.all([
    readProcessHistory(ctx.db, { since, until, bucketSeconds }),
    ctx.backlog.read(ctx.db, new Date(now)),
    failingEndpoints(ctx.db),
    lostSealingKey(ctx),
    brokenChains(ctx.db),
    countChains(ctx.db),
    readWorstRequests(ctx.db, since),
  ]);
  const { series, processes } = history;
  return {
    version: VERSION,
    attention: [
      ...sealing,
      ...lostProcesses(processes, now),
      ...withoutRedis(processes, now),
      ...recentErrors(history, now),
      ...slowQueues(queues, now),
      ...broken,
      ...endpoints,
    ],
    server: {
      series: series.map((each) => ({ ...each, at: each.at.getTime() })),
      total: history.total,
      processes: processes.map((seen) => presentProcess(seen, now)),
      queues,
      requests,
      chains,
    },
  };
}

function presentProcess(
  seen: ProcessHistory['processes'][number],
  now: number,
): z.infer<typeof seenProcess> {
  const { stoppedAt, startedAt, seenAt, ...facts } = seen;
  const health = stoppedAt ? 'stopped' : isGone(seen, now) ? 'gone' : 'running';
  return { ...facts, health, startedAt: startedAt.getTime(), seenAt: seenAt.getTime() };
}

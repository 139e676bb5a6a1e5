import { z } from 'zod';
import type { RequestContext } from '../../api/context.ts';
import { consoleOperation, router } from '../../api/procedures.ts';
import { readProcessHistory } from '../../platform/processes/process-history.ts';
import { VERSION } from '../../platform/version.ts';
import {
  brokenChains,
  countChains,
  failingEndpoints,
  isGone,
  lostProcesses,
  lostSealingKey,
  processesWithoutRedis,
  recentErrors,
  type SeenProcess,
  slowQueues,
} from './attention.ts';
import { readAllowedKeys } from './keys.ts';
import { readWorstRequests } from './requests.ts';

const MINUTE_MS = 60_000;
/** The periods that can be shown, each with the length of its intervals. No period has more than 97 of them. */
const SPANS = {
  hour: { ms: 60 * MINUTE_MS, bucketSeconds: 60 },
  day: { ms: 24 * 60 * MINUTE_MS, bucketSeconds: 900 },
} as const;

export const overviewRouter = router({
  /**
   * The state of the server, and what needs attention. People who are limited to one workspace or key see only their
   * own endpoints and chains, since everything else would show how busy others are.
   */
  read: consoleOperation
    .input(z.strictObject({ span: z.enum(['hour', 'day']).default('hour') }))
    .query(async ({ ctx, input }) => {
      const keys = await readAllowedKeys(ctx.db, ctx.signedIn.bounds);
      if (!keys) return readServer(ctx, input.span);
      const lists = await Promise.all([brokenChains(ctx.db, keys), failingEndpoints(ctx.db, keys)]);
      return { version: VERSION, attention: lists.flat(), server: null };
    }),
});

async function readServer(ctx: RequestContext, span: keyof typeof SPANS) {
  const { ms, bucketSeconds } = SPANS[span];
  const now = ctx.clock.now();
  // Processes write once a minute, so the current minute would always look empty.
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
      ...processesWithoutRedis(processes, now),
      ...recentErrors(history, bucketSeconds * 1000, now),
      ...slowQueues(queues, now),
      ...broken,
      ...endpoints,
    ],
    server: {
      span,
      series: series.map((each) => ({ ...each, at: each.at.getTime() })),
      total: history.total,
      processes: processes.map((seen) => presentProcess(seen, now)),
      queues,
      requests,
      chains,
    },
  };
}

function presentProcess(seen: SeenProcess, now: number) {
  const { stoppedAt, startedAt, seenAt, ...facts } = seen;
  const health: 'running' | 'stopped' | 'gone' = stoppedAt
    ? 'stopped'
    : isGone(seen, now)
      ? 'gone'
      : 'running';
  return { ...facts, health, startedAt: startedAt.getTime(), seenAt: seenAt.getTime() };
}

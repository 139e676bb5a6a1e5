import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { commentEventTypes } from '../../../src/features/comments/events.ts';
import { Database } from '../../../src/platform/database/database.ts';
import { EventLog } from '../../../src/platform/events/event-log.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import type { PostLoopOrder } from '../baseline/post-loop.ts';
import { type Finding, type Measurement, median, percentile } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { withFilled } from '../harness/databases.ts';
import { cpuMsOf } from '../harness/process-facts.ts';
import { ReceiverProcess, ratePerSecond } from '../harness/receiver.ts';
import { commitEvents, dataOf, seedEndpoints, startWorker } from '../harness/webhooks.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const EVENTS = 10_000;
const MIN_RATIO = 0.45;
const LATENCY_SECONDS = 10;
const MAX_MS = 250;
/**
 * Events in one transaction while latency is measured. The publisher shares two cores with the
 * deliverer, and uses no more of them than in the measurement of throughput.
 */
const TOGETHER = 25;

/** Webhooks to one local endpoint, compared with a bare loop that signs and posts. */
const deliveries: Measurement = {
  name: 'deliveries',
  async measure(postgres) {
    const receiver = await ReceiverProcess.start();
    const endpoint = { id: 'endpoint', url: receiver.url, filterType: 'comment.add' };
    const loop = fork(path.join(import.meta.dirname, '../baseline/post-loop.ts'));
    try {
      return await withFilled(
        postgres,
        (database) => seedEndpoints(database, [endpoint]),
        async (url) => {
          const worker = await startWorker(url);
          try {
            return await measureAll({ url, pid: worker.pid }, receiver, loop);
          } finally {
            await worker.stop();
          }
        },
      );
    } finally {
      loop.disconnect();
      receiver.stop();
    }
  },
};

/** The worker that is measured, and its database. */
interface Ours {
  url: string;
  pid: number;
}

interface Turn {
  perSecond: number;
  /** Processor time for one request: of the process that sends, and of PostgreSQL. */
  cpuMs: number;
  databaseCpuMs: number;
}

async function measureAll(worker: Ours, receiver: ReceiverProcess, loop: ChildProcess) {
  const databaseUrl = worker.url;
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const ours: Turn[] = [];
  const baseline: Turn[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    baseline.push(await timed(loop.pid ?? 0, database, () => postLoop(receiver, loop)));
    ours.push(await timed(worker.pid, database, () => deliver(databaseUrl, receiver)));
  }
  await database.end();
  // The first round is a warm-up and is not counted.
  for (const turns of [ours, baseline]) turns.shift();
  const ratios = ours.map(({ perSecond }, round) => perSecond / (baseline[round]?.perSecond ?? 0));
  const perSecond = rateOf(ours);
  const least = MIN_RATIO * rateOf(baseline);
  return [
    { label: 'ours', value: describe(ours, 'deliveries') },
    { label: 'baseline', value: describe(baseline, 'posts') },
    {
      label: 'ratio',
      value: median(ratios).toFixed(2),
      target: `>= ${MIN_RATIO}`,
      met: median(ratios) >= MIN_RATIO,
    },
    await latencyAt('half the least', least / 2, databaseUrl, receiver),
    await latencyAt('half of ours', perSecond / 2, databaseUrl, receiver),
  ];
}

async function timed(pid: number, database: Client, work: () => Promise<number>): Promise<Turn> {
  const [cpuBefore, databaseBefore] = [await cpuMsOf(pid), await databaseCpuMs(database)];
  const perSecond = await work();
  const [cpu, databaseCpu] = [await cpuMsOf(pid), await databaseCpuMs(database)];
  const cpuMs = (cpu - cpuBefore) / EVENTS;
  return { perSecond, cpuMs, databaseCpuMs: (databaseCpu - databaseBefore) / EVENTS };
}

/** The processor time of PostgreSQL's processes, where they run on this machine. */
async function databaseCpuMs(database: Client): Promise<number> {
  const { rows } = await database.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  const times = await Promise.all(rows.map(({ pid }) => cpuMsOf(pid)));
  return times.reduce((sum, ms) => sum + (Number.isNaN(ms) ? 0 : ms), 0);
}

const rateOf = (turns: Turn[]): number => median(turns.map(({ perSecond }) => perSecond));

function describe(turns: Turn[], what: string): string {
  const cpu = median(turns.map(({ cpuMs }) => cpuMs)).toFixed(3);
  const database = median(turns.map(({ databaseCpuMs }) => databaseCpuMs)).toFixed(3);
  return `${Math.round(rateOf(turns))} ${what}/s, CPU ${cpu} ms each, PostgreSQL ${database} ms`;
}

/** Measures from commit to arrival at this rate of events. */
async function latencyAt(
  what: string,
  perSecond: number,
  databaseUrl: string,
  receiver: ReceiverProcess,
): Promise<Finding> {
  const latencies = await latenciesAt(perSecond, databaseUrl, receiver);
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  return {
    label: `latency at ${what}`,
    value: `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (${Math.round(perSecond)}/s)`,
    target: `p99 <= ${MAX_MS} ms`,
    met: p99 <= MAX_MS,
  };
}

async function postLoop(receiver: ReceiverProcess, loop: ChildProcess): Promise<number> {
  const bodies = Array.from({ length: EVENTS }, (_, n) =>
    JSON.stringify({ id: `event-${n}`, type: 'comment.add', data: { n, rest: dataOf(n) } }),
  );
  const arrived = receiver.receive(EVENTS);
  loop.send({ url: receiver.url, bodies } satisfies PostLoopOrder);
  await once(loop, 'message');
  return ratePerSecond(await arrived);
}

async function deliver(databaseUrl: string, receiver: ReceiverProcess): Promise<number> {
  const arrived = receiver.receive(EVENTS);
  await commitEvents(databaseUrl, 'comment.add', EVENTS);
  return ratePerSecond(await arrived);
}

/** Commits events at a constant rate as a server process does, and compares timestamps. */
async function latenciesAt(perSecond: number, databaseUrl: string, receiver: ReceiverProcess) {
  const log = createLogger('silent');
  const db = new Database({ url: databaseUrl, poolSize: 10, log });
  const events = new EventLog({
    db,
    moves: db,
    clock: Date,
    log,
    metrics: createMetrics(),
    // Events are not validated, because a separate process publishes them and is not measured.
    types: { 'comment.add': { summary: '', data: z.unknown(), example: {} } },
  });
  const count = Math.floor((perSecond * LATENCY_SECONDS) / TOGETHER) * TOGETHER;
  const arrived = receiver.receive(count);
  const committedAt: number[] = [];
  const commit = async (from: number) => {
    const published = Array.from({ length: TOGETHER }, (_, index) => ({
      type: 'comment.add',
      organizationId: 'acme',
      documentId: `document-${from + index}`,
      channels: [],
      data: { ...commentEventTypes['comment.add']?.example, n: from + index, rest: dataOf(0) },
    }));
    await db.transaction((tx) => events.append(tx, TENANT, published));
    const now = performance.timeOrigin + performance.now();
    for (let index = 0; index < TOGETHER; index++) committedAt[from + index] = now;
  };
  const startedAt = performance.now();
  const commits: Array<Promise<void>> = [];
  for (let from = 0; from < count; from += TOGETHER) {
    const dueMs = (from / perSecond) * 1000 - (performance.now() - startedAt);
    if (dueMs > 1) await sleep(dueMs);
    commits.push(commit(from));
  }
  await Promise.all(commits);
  const { arrivals } = await arrived;
  await events.stop();
  await db.close();
  return arrivals.map(([n, at]) => at - (committedAt[n] ?? 0));
}

export default deliveries;

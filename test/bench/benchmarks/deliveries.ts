import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Client } from 'pg';
import type { PostLoopOrder } from '../baseline/post-loop.ts';
import { type Measurement, median } from '../harness/benchmark.ts';
import { withFilled } from '../harness/databases.ts';
import { cpuMsOf } from '../harness/process-facts.ts';
import { ReceiverProcess, ratePerSecond } from '../harness/receiver.ts';
import { commitEvents, dataOf, seedEndpoints, startWorker } from '../harness/webhooks.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const EVENTS = 10_000;
const MIN_RATIO = 0.45;

/** Webhooks to one local endpoint, compared with a bare loop that signs and posts. */
export const deliveries: Measurement = {
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
  return [
    { label: 'ours', value: describe(ours, 'deliveries') },
    { label: 'baseline', value: describe(baseline, 'posts') },
    {
      label: 'ratio',
      value: median(ratios).toFixed(2),
      target: `>= ${MIN_RATIO}`,
      met: median(ratios) >= MIN_RATIO,
    },
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

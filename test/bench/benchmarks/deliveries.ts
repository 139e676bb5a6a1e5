import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { PostLoopOrder } from '../baseline/post-loop.ts';
import { type Measurement, median } from '../harness/benchmark.ts';
import { withFilled } from '../harness/databases.ts';
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
            return await measureAll(url, receiver, loop);
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

async function measureAll(databaseUrl: string, receiver: ReceiverProcess, loop: ChildProcess) {
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    baseline.push(await postLoop(receiver, loop));
    ours.push(await deliver(databaseUrl, receiver));
  }
  // The first round is a warm-up and is not counted.
  for (const rates of [ours, baseline]) rates.shift();
  const ratios = ours.map((perSecond, round) => perSecond / (baseline[round] ?? 0));
  return [
    { label: 'ours', value: `${Math.round(median(ours))} deliveries/s` },
    { label: 'baseline', value: `${Math.round(median(baseline))} posts/s` },
    {
      label: 'ratio',
      value: median(ratios).toFixed(2),
      target: `>= ${MIN_RATIO}`,
      met: median(ratios) >= MIN_RATIO,
    },
  ];
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

import type { PostLoopOrder } from '../baseline/post-loop.ts';
import { type Measurement, median } from '../harness/benchmark.ts';
import { Child } from '../harness/child.ts';
import { filledDatabase } from '../harness/databases.ts';
import { type Receiver, ratePerSecond, startReceiver } from '../harness/receiver.ts';
import { commitEvents, dataOf, seedEndpoint, startWorker } from '../harness/webhooks.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const EVENTS = 10_000;
const MIN_RATIO = 0.45;

type PostLoop = Child<PostLoopOrder, object>;

/** Webhooks to one local endpoint, compared with a bare loop that signs and posts. */
export const deliveries: Measurement = {
  name: 'deliveries',
  async measure(postgres) {
    const receiver = await startReceiver();
    const loop: PostLoop = new Child('baseline/post-loop.ts');
    const url = await filledDatabase(postgres, (database) =>
      seedEndpoint(database, receiver.url, 'comment.add'),
    );
    await startWorker(url);
    return measureAll(url, receiver, loop);
  },
};

async function measureAll(databaseUrl: string, receiver: Receiver, loop: PostLoop) {
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

async function postLoop(receiver: Receiver, loop: PostLoop): Promise<number> {
  const bodies = Array.from({ length: EVENTS }, (_, n) =>
    JSON.stringify({ id: `event-${n}`, type: 'comment.add', data: { n, rest: dataOf(n) } }),
  );
  const arrived = receiver.receive(EVENTS);
  await loop.carryOut({ url: receiver.url, bodies });
  return ratePerSecond(await arrived);
}

async function deliver(databaseUrl: string, receiver: Receiver): Promise<number> {
  const arrived = receiver.receive(EVENTS);
  await commitEvents(databaseUrl, 'comment.add', EVENTS);
  return ratePerSecond(await arrived);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type Measurement, median } from '../harness/benchmark.ts';
import { withTwins } from '../harness/databases.ts';
import { ReceiverProcess } from '../harness/receiver.ts';
import {
  type BenchEndpoint,
  commitEvents,
  seedEndpoints,
  startWorker,
} from '../harness/webhooks.ts';

const HANGING = 50;
const EVENTS = 5_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** The waiting deliveries of each hanging endpoint. */
const WAITING = 100;
/** After this time, the hanging endpoints have as many requests under way as allowed. */
const SETTLE_MS = 2_000;

/** Measures the latency of events to a healthy endpoint, alone and while others of its key hang. */
const hanging: Measurement = {
  name: 'deliveries-hanging',
  async measure(postgres) {
    const receiver = await ReceiverProcess.start();
    try {
      return await withTwins(
        postgres,
        (database) => seedEndpoints(database, endpointsAt(receiver.url)),
        (alone, beside) => measureBoth(alone, beside, receiver),
      );
    } finally {
      receiver.stop();
    }
  },
};

const endpointsAt = (url: string): BenchEndpoint[] => [
  { id: 'healthy', url, filterType: 'comment.add' },
  ...Array.from({ length: HANGING }, (_, n) => ({
    id: `hanging-${n}`,
    url: `${url}/hang`,
    filterType: 'user.add',
  })),
];

/** The measurements alternate, so that noise of the machine affects both. */
async function measureBoth(alone: string, beside: string, receiver: ReceiverProcess) {
  const workers = [await startWorker(alone), await startWorker(beside)];
  try {
    await deliverMs(alone, receiver);
    await deliverMs(beside, receiver);
    await commitEvents(beside, 'user.add', WAITING);
    await sleep(SETTLE_MS);
    const times: Array<{ alone: number; beside: number }> = [];
    for (let round = 0; round < ROUNDS; round++) {
      times.push({
        alone: await deliverMs(alone, receiver),
        beside: await deliverMs(beside, receiver),
      });
    }
    const ratio = median(times.map((time) => time.beside / time.alone));
    const ms = (of: number[]) => `${Math.round(median(of))} ms for ${EVENTS}`;
    return [
      { label: 'alone', value: ms(times.map((time) => time.alone)) },
      { label: `beside ${HANGING} that hang`, value: ms(times.map((time) => time.beside)) },
      { label: 'ratio', value: ratio.toFixed(2), target: '<= 1.2', met: ratio <= 1.2 },
    ];
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

async function deliverMs(databaseUrl: string, receiver: ReceiverProcess): Promise<number> {
  const arrived = receiver.receive(EVENTS);
  const startedAt = performance.timeOrigin + performance.now();
  await commitEvents(databaseUrl, 'comment.add', EVENTS);
  const { arrivals } = await arrived;
  return Math.max(...arrivals.map(([, at]) => at)) - startedAt;
}

export default hanging;

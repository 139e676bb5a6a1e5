import { setTimeout as sleep } from 'node:timers/promises';
import { type Measurement, percentile } from '../harness/benchmark.ts';
import { filledDatabase } from '../harness/databases.ts';
import { DOCUMENTS, fillBy, ORGANIZATION } from '../harness/fill.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { cpuMsOf } from '../harness/process-facts.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { type Server, startOurs } from '../harness/servers.ts';
import { seedEndpoint } from '../harness/webhooks.ts';

const PER_SECOND = 100;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 4;
const DOCUMENT_COUNT = 60;
const [MAX_MEDIAN_MS, MAX_P99_MS] = [25, 100];

/** From the answer to a change until its webhook arrives, in one process that does everything. */
export const deliveriesLatency: Measurement = {
  name: 'deliveries-latency',
  async measure(postgres) {
    const receiver = await startReceiver();
    const url = await filledDatabase(postgres, async (database) => {
      await fillBy(database, DOCUMENT_COUNT, [ORGANIZATION, DOCUMENTS]);
      await seedEndpoint(database, receiver.url, 'document.update');
    });
    const server = await startOurs(url, { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
    await latenciesOf(server, receiver, WARM_UP_SECONDS);
    const cpuBefore = await cpuMsOf(server.pid);
    const latencies = await latenciesOf(server, receiver, SECONDS);
    const cpuMs = ((await cpuMsOf(server.pid)) - cpuBefore) / latencies.length;
    const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
    return [
      {
        label: '1 endpoint',
        value: `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, CPU ${cpuMs.toFixed(2)} ms an event`,
        target: `p50 <= ${MAX_MEDIAN_MS} ms, p99 <= ${MAX_P99_MS} ms`,
        met: p50 <= MAX_MEDIAN_MS && p99 <= MAX_P99_MS,
      },
    ];
  },
};

/** Changes documents at an even rate, and returns the ms from each answer to its webhook. */
async function latenciesOf(server: Server, receiver: Receiver, seconds: number): Promise<number[]> {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => HttpConnection.open(server.url)),
  );
  const count = PER_SECOND * seconds;
  const arrived = receiver.receive(count);
  const answeredAt: number[] = [];
  const startedAt = performance.now();
  const change = async (connection: HttpConnection, n: number) => {
    const dueMs = (n * 1_000) / PER_SECOND - (performance.now() - startedAt);
    if (dueMs > 0) await sleep(dueMs);
    await rename(connection, n);
    answeredAt[n] = performance.timeOrigin + performance.now();
  };
  await Promise.all(
    connections.map(async (connection, first) => {
      for (let n = first; n < count; n += connections.length) await change(connection, n);
    }),
  );
  const { arrivals } = await arrived;
  for (const connection of connections) connection.close();
  return arrivals.map(([n, at]) => at - (answeredAt[n] ?? 0));
}

const rename = (connection: HttpConnection, n: number): Promise<void> =>
  connection.succeed({
    path: '/v2/organizations/documents/update',
    data: {
      organizationId: 'acme',
      documents: [{ documentId: `document-${n % DOCUMENT_COUNT}`, documentName: `n-${n}` }],
    },
  });

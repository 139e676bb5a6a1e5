import assert from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Finding, type Measurement, percentile } from '../harness/benchmark.ts';
import { CREDENTIALS, seedKey } from '../harness/credentials.ts';
import { withFilled } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { cpuMsOf } from '../harness/process-facts.ts';
import { ReceiverProcess } from '../harness/receiver.ts';
import { type Server, startOurs } from '../harness/servers.ts';
import { seedEndpoints } from '../harness/webhooks.ts';

const PER_SECOND = 100;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 4;
const DOCUMENTS = 60;
const [MAX_MEDIAN_MS, MOST_P99_MS] = [25, 100];

interface Setup {
  name: string;
  keys: number;
  /** Of each key; each event goes to one of them. */
  endpoints: number;
}

const SETUPS: Setup[] = [
  { name: '1 endpoint', keys: 1, endpoints: 1 },
  { name: '20 endpoints', keys: 1, endpoints: 20 },
  { name: '3 keys', keys: 3, endpoints: 1 },
];

/** From the answer to a change until its webhook arrives, in one process that does everything. */
const deliveriesLatency: Measurement = {
  name: 'deliveries-latency',
  async measure(postgres) {
    const receiver = await ReceiverProcess.start();
    const findings: Finding[] = [];
    try {
      for (const setup of SETUPS) {
        const prepare = (database: Client) => seed(database, setup, receiver.url);
        findings.push(
          ...(await withFilled(postgres, prepare, (url) => measureOne(url, setup, receiver))),
        );
      }
    } finally {
      receiver.stop();
    }
    return findings;
  },
};

const credentialsOf = (key: number): typeof CREDENTIALS =>
  key === 0
    ? CREDENTIALS
    : { 'x-svc-api-key': `bench-key-${key}`, 'x-svc-auth-token': `bench-auth-token-${key}` };

async function seed(database: Client, { keys, endpoints }: Setup, url: string): Promise<void> {
  for (let key = 0; key < keys; key++) {
    const credentials = credentialsOf(key);
    const tenantId = credentials['x-svc-api-key'];
    if (key > 0) await seedKey(database, credentials);
    await database.query(
      `INSERT INTO organizations (tenant_id, organization_id) VALUES ($1, 'acme-0')`,
      [tenantId],
    );
    await database.query(
      `INSERT INTO organizations (tenant_id, organization_id)
       SELECT $1, 'acme-' || n FROM generate_series(1, $2::int - 1) AS n`,
      [tenantId, endpoints],
    );
    await database.query(
      `INSERT INTO documents (tenant_id, organization_id, document_id, document_name)
       SELECT $1, 'acme-' || n % $2::int, 'document-' || n, 'plan'
       FROM generate_series(0, $3::int - 1) AS n`,
      [tenantId, endpoints, DOCUMENTS],
    );
    const each = Array.from({ length: endpoints }, (_, n) => ({
      id: `endpoint-${n}`,
      url,
      filterType: 'document.update',
      channel: `organization:acme-${n}`,
    }));
    await seedEndpoints(database, each, tenantId);
  }
}

async function measureOne(
  databaseUrl: string,
  setup: Setup,
  receiver: ReceiverProcess,
): Promise<Finding[]> {
  const server = await startOurs(databaseUrl, { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
  try {
    await latenciesOf(server, setup, receiver, WARM_UP_SECONDS);
    const cpuBefore = await cpuMsOf(server.pid);
    const latencies = await latenciesOf(server, setup, receiver, SECONDS);
    const cpuMs = ((await cpuMsOf(server.pid)) - cpuBefore) / latencies.length;
    const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
    return [
      {
        label: setup.name,
        value: `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, CPU ${cpuMs.toFixed(2)} ms an event`,
        target: `p50 <= ${MAX_MEDIAN_MS} ms, p99 <= ${MOST_P99_MS} ms`,
        met: p50 <= MAX_MEDIAN_MS && p99 <= MOST_P99_MS,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** Changes documents at an even rate, over a few connections of each key. */
async function latenciesOf(
  server: Server,
  { keys, endpoints }: Setup,
  receiver: ReceiverProcess,
  seconds: number,
): Promise<number[]> {
  const opening = Array.from({ length: CONNECTIONS * keys }, (_, n) =>
    HttpConnection.open(server.url, credentialsOf(n % keys)),
  );
  const connections = await Promise.all(opening);
  const count = PER_SECOND * seconds;
  const arrived = receiver.receive(count);
  const answeredAt: number[] = [];
  const startedAt = performance.now();
  const change = async (connection: HttpConnection, n: number) => {
    const dueMs = (n * 1_000) / PER_SECOND - (performance.now() - startedAt);
    if (dueMs > 0) await sleep(dueMs);
    await rename(connection, endpoints, n);
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

async function rename(connection: HttpConnection, endpoints: number, n: number): Promise<void> {
  const document = n % DOCUMENTS;
  const { status, body } = await connection.post({
    path: '/v2/organizations/documents/update',
    data: {
      organizationId: `acme-${document % endpoints}`,
      documents: [{ documentId: `document-${document}`, documentName: `n-${n}` }],
    },
  });
  assert.strictEqual(status, 200, body);
}

export default deliveriesLatency;

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { sealNewSecret } from '../../../src/features/webhooks/endpoints/secrets.ts';
import { Database } from '../../../src/platform/database/database.ts';
import { EventLog } from '../../../src/platform/events/event-log.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import { Secrets } from '../../../src/platform/secrets.ts';
import { type Growth, median, percentile, type Sample } from '../harness/benchmark.ts';
import { SECRET_KEY } from '../harness/credentials.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { fillBy } from '../harness/fill.ts';
import { ReceiverProcess, ratePerSecond } from '../harness/receiver.ts';
import type { Server } from '../harness/servers.ts';
import { dataOf, startWorker } from '../harness/webhooks.ts';

const SIZES = [1, 2, 4];
/** Keys whose events become activities, and as many whose events are delivered. */
const KEYS = 64;
const EVENTS = 20_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const POLL_MS = 20;
/** Events a second while the lag is measured, and for how long. */
const RATE = 500;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const TOGETHER = 10;

/** 1 to 4 workers on one database share the events of many keys. All run on this machine. */
const workers: Growth = {
  name: 'growth-workers',
  sizeOf: 'workers on one machine',
  reasons: {
    'recorded as activities': 'It is a rate, which is to grow: the workers share the events.',
    'delivered to endpoints': 'It is a rate, which is to grow: the workers share the endpoints.',
    'from commit to arrival':
      'The workers share the cores of one machine, and each follows the log.',
  },
  async sample(postgres) {
    const samples: Sample[] = [];
    for (const size of SIZES) samples.push(...(await withWorkers(postgres, size)));
    return samples;
  },
};

async function withWorkers(postgres: Postgres, size: number): Promise<Sample[]> {
  const receiver = await ReceiverProcess.start();
  const prepare = (database: Client) => fill(database, receiver.url);
  try {
    return await withFilled(postgres, prepare, async (url) => {
      const running: Server[] = [];
      try {
        while (running.length < size) running.push(await startWorker(url));
        return await sampleAll(url, receiver, size);
      } finally {
        await Promise.all(running.map((worker) => worker.stop()));
      }
    });
  } finally {
    receiver.stop();
  }
}

async function sampleAll(url: string, receiver: ReceiverProcess, size: number) {
  const database = new Client({ connectionString: url });
  await database.connect();
  try {
    const recorded = await rateOf(() => record(database));
    const delivered = await rateOf(() => deliver(database, receiver));
    const lags = await lagsOf(url, receiver);
    const rate = { table: 'Events of all keys a second', size, unit: 'events/s' };
    return [
      { ...rate, line: 'recorded as activities', median: recorded },
      { ...rate, line: 'delivered to endpoints', median: delivered },
      {
        table: `Lag of deliveries at ${RATE} events a second`,
        line: 'from commit to arrival',
        size,
        unit: 'ms',
        median: percentile(lags, 0.5),
        p95: percentile(lags, 0.95),
      },
    ];
  } finally {
    await database.end();
  }
}

/** The first round is a warm-up and is not counted. */
async function rateOf(round: () => Promise<number>): Promise<number> {
  const rates: number[] = [];
  while (rates.length <= ROUNDS) rates.push(await round());
  return median(rates.slice(1));
}

/** Records a second, between the first and the last commit of records. */
async function record(database: Client): Promise<number> {
  const before = await countRecords(database);
  await commit(database, 'recorded');
  const first = await untilMore(database, before);
  let last = first;
  while (last.count < before + EVENTS) last = await untilMore(database, last.count);
  return ((last.count - first.count) * 1000) / (last.at - first.at);
}

async function untilMore(database: Client, than: number): Promise<{ count: number; at: number }> {
  for (;;) {
    const count = await countRecords(database);
    if (count > than) return { count, at: performance.now() };
    await sleep(POLL_MS);
  }
}

async function countRecords(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'SELECT COALESCE(sum(length), 0)::int AS count FROM activity_chains',
  );
  return rows[0]?.count ?? 0;
}

async function deliver(database: Client, receiver: ReceiverProcess): Promise<number> {
  const arrived = receiver.receive(EVENTS);
  await commit(database, 'delivered');
  return ratePerSecond(await arrived);
}

const commit = (database: Client, keys: string) =>
  database.query(
    `INSERT INTO event_outbox (tenant_id, id, type, organization_id, document_id, channels, data)
     SELECT $1 || '-' || n % $2::int, gen_random_uuid(), 'comment.add', 'acme', 'document-' || n,
            '{}', json_build_object('n', n, 'rest', $3::json)
     FROM generate_series(0, $4::int - 1) AS n`,
    [keys, KEYS, JSON.stringify(dataOf(0)), EVENTS],
  );

/** Commits events at a constant rate as a server process does, and compares timestamps. */
async function lagsOf(url: string, receiver: ReceiverProcess): Promise<number[]> {
  const log = createLogger('silent');
  const db = new Database({ url, poolSize: 10, log });
  const types = { 'comment.add': { summary: '', data: z.unknown(), example: {} } };
  const parts = { db, moves: db, clock: Date, log, metrics: createMetrics() };
  const events = new EventLog({ ...parts, types });
  const count = RATE * SECONDS;
  const arrived = receiver.receive(count);
  const committedAt: number[] = [];
  const startedAt = performance.now();
  for (let from = 0; from < count; from += TOGETHER) {
    await sleep(Math.max(0, startedAt + (from / RATE) * 1000 - performance.now()));
    await db.transaction((tx) => events.append(tx, `delivered-${from % KEYS}`, numbered(from)));
    committedAt.push(performance.timeOrigin + performance.now());
  }
  const { arrivals } = await arrived;
  await events.stop();
  await db.close();
  return arrivals.map(([n, at]) => at - (committedAt[Math.floor(n / TOGETHER)] ?? 0));
}

const numbered = (from: number) =>
  Array.from({ length: TOGETHER }, (_, index) => ({
    type: 'comment.add',
    organizationId: 'acme',
    documentId: `document-${from + index}`,
    channels: [],
    data: { n: from + index, rest: dataOf(0) },
  }));

async function fill(database: Client, url: string): Promise<void> {
  const activity = { isEnabled: true, immutable: true, triggers: { comment: { added: true } } };
  await fillBy(database, KEYS, [
    `INSERT INTO api_keys (id, workspace_id, type, owner_email, realtime_db_region)
     SELECT use || '-' || n, 'bench', 'testing', 'bench@example.com', 'us-central1'
     FROM unnest('{recorded,delivered}'::text[]) AS use, generate_series(0, :count - 1) AS n`,
    `INSERT INTO organizations (tenant_id, organization_id)
     SELECT 'recorded-' || n, 'acme' FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO service_settings (tenant_id, activity_service_config)
     SELECT 'recorded-' || n, '${JSON.stringify(activity)}' FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO service_settings (tenant_id, use_advanced_webhooks)
     SELECT 'delivered-' || n, true FROM generate_series(0, :count - 1) AS n`,
  ]);
  const secrets = new Secrets(SECRET_KEY);
  for (let n = 0; n < KEYS; n++) {
    const key = `delivered-${n}`;
    await database.query(
      `INSERT INTO webhook_endpoints (tenant_id, id, url, filter_types, sealed_secret,
         start_sequence, created_at, updated_at)
       VALUES ($1, 'endpoint', $2, '{comment.add}', $3, 0, now(), now())`,
      [key, url, sealNewSecret(secrets, key, 'endpoint')],
    );
  }
}

export default workers;

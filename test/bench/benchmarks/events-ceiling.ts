import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { Database } from '../../../src/platform/database/database.ts';
import { EventLog } from '../../../src/platform/events/event-log.ts';
import { outboxQueue } from '../../../src/platform/events/event-queues.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import { Backlog } from '../../../src/platform/processes/backlog.ts';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { withFilled } from '../harness/databases.ts';
import { dataOf } from '../harness/webhooks.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const EVENTS = 20_000;
const KEYS = 10;
/** Connections that commit events, and events of one transaction. */
const WRITERS = 4;
const TOGETHER = 100;

/**
 * How many events a second one process moves into the log: with nothing else to do, and while
 * writers commit more than that. What waits then is moved when they pause; nothing is lost.
 */
const eventsCeiling: Measurement = {
  name: 'events-ceiling',
  measure: (postgres) =>
    withFilled(
      postgres,
      async () => undefined,
      async (url) => {
        const log = createLogger('silent');
        const db = new Database({ url, poolSize: 2, log });
        const types = { 'comment.add': { summary: '', data: z.unknown(), example: {} } };
        const parts = { db, moves: db, clock: Date, log, metrics: createMetrics() };
        const events = new EventLog({ ...parts, types });
        try {
          return [await drained(url, events), ...(await flooded(url, db, events))];
        } finally {
          await events.stop();
          await db.close();
        }
      },
    ),
};

/** The first round is a warm-up and is not counted. */
async function drained(url: string, events: EventLog): Promise<Finding> {
  const writer = await connect(url);
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await insertEvents(writer, EVENTS);
    const startedAt = performance.now();
    await events.sequence();
    rates.push((EVENTS * 1_000) / (performance.now() - startedAt));
  }
  await writer.end();
  return { label: 'moved, alone', value: `${perSecond(median(rates.slice(1)))}` };
}

async function flooded(url: string, db: Database, events: EventLog): Promise<Finding[]> {
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => connect(url)));
  const before = await countEvents(url);
  let committed = 0;
  const end = performance.now() + SECONDS * 1_000;
  const writing = writers.map(async (writer) => {
    while (performance.now() < end) {
      await insertEvents(writer, TOGETHER);
      committed += TOGETHER;
    }
  });
  const moving = moveUntil(end, events);
  await sleep(end - performance.now());
  const moved = (await countEvents(url)) - before;
  const [outbox] = await new Backlog([outboxQueue]).read(db, new Date());
  await Promise.all(writing);
  await moving;
  const drainMs = performance.now() - end;
  const lost = committed - ((await countEvents(url)) - before);
  await Promise.all(writers.map((writer) => writer.end()));
  return [
    { label: 'committed by the writers', value: perSecond(committed / SECONDS) },
    { label: 'moved meanwhile', value: perSecond(moved / SECONDS) },
    { label: 'oldest that waited', value: `${outbox?.oldestSeconds.toFixed(1)} s` },
    {
      label: 'lost',
      value: `${lost}, ${(drainMs / 1_000).toFixed(1)} s after the writers stopped`,
      target: '0',
      met: lost === 0,
    },
  ];
}

/** Moves events while they are written, and then what is left. */
async function moveUntil(end: number, events: EventLog): Promise<void> {
  while (performance.now() < end) {
    await events.sequence();
    await sleep(1);
  }
  await events.sequence();
}

const perSecond = (rate: number) => `${Math.round(rate)} events/s`;

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

async function insertEvents(writer: Client, count: number): Promise<void> {
  await writer.query(
    `INSERT INTO event_outbox (tenant_id, id, type, organization_id, document_id, channels, data)
     SELECT $1 || '-' || n % $2::int, gen_random_uuid(), 'comment.add', 'acme', 'document-' || n,
            '{}', $3::json
     FROM generate_series(0, $4::int - 1) AS n`,
    [TENANT, KEYS, JSON.stringify(dataOf(0)), count],
  );
}

async function countEvents(url: string): Promise<number> {
  const client = await connect(url);
  const { rows } = await client.query('SELECT count(*)::int AS count FROM events');
  await client.end();
  return rows[0].count;
}

export default eventsCeiling;

import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { z } from 'zod';
import { deleteExpiredEvents } from '../../../src/features/events/retention.ts';
import { BASIC_RAW } from '../../../src/features/webhooks/basic/basic-endpoints.ts';
import { deleteExpiredDeliveries } from '../../../src/features/webhooks/deliveries/delete-expired-deliveries.ts';
import { loadDue } from '../../../src/features/webhooks/engine/load-due.ts';
import type { AttemptOutcome } from '../../../src/features/webhooks/engine/outcome.ts';
import { recordOutcomes } from '../../../src/features/webhooks/engine/record.ts';
import { Database, sql } from '../../../src/platform/database/database.ts';
import { EventLog } from '../../../src/platform/events/event-log.ts';
import {
  eventsAfter,
  eventsAt,
  newestSequence,
} from '../../../src/platform/events/logged-events.ts';
import { endOfLog, positionOf } from '../../../src/platform/live-bus/read-log.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import { Secrets } from '../../../src/platform/secrets.ts';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { SECRET_KEY } from '../harness/credentials.ts';
import { withTwins } from '../harness/databases.ts';
import { fillBy } from '../harness/fill.ts';
import { dataOf } from '../harness/webhooks.ts';

/** Events, each with a delivery and an attempt, which are spread evenly over 30 days. */
const EVENTS = Number(process.env.BENCH_EVENTS ?? 400_000);
/** As many of them are full as the log is kept for; the last one is empty, for what is to come. */
const PARTITIONS = Number(process.env.BENCH_PARTITIONS ?? 10);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20);
const REPEATS = 10;
/** Runs of retention in which the oldest part is deleted. */
const RUNS = 100;
const KEYS = 50;
const DAYS = 30;
const DAY_MS = 86_400_000;
const SHARE = Math.floor(EVENTS / (PARTITIONS - 1));
const WORKER = 'worker';
const TABLES = ['events', 'webhook_deliveries', 'webhook_attempts'];

/**
 * What partitions of the log would save and cost. They are ranges of the number of the event, which
 * all keys of the three tables contain: in the order of numbers, a read of the log needs few of
 * them. Compares with the tables as they are: the removal of the oldest part of the log, and the
 * statements that write and read the log most often (docs/decisions.md, 21).
 */
const logPartitions: Measurement = {
  name: 'log-partitions',
  measure: (postgres) =>
    withTwins(postgres, fill, async (plainUrl, partitionedUrl) => {
      await withClient(partitionedUrl, divide);
      for (const url of [plainUrl, partitionedUrl]) await withClient(url, commitWithoutWaiting);
      const plain = await open(plainUrl);
      const partitioned = await open(partitionedUrl);
      try {
        return [
          ...(await compareStatements(plain, partitioned)),
          ...(await compareRemovals(plainUrl, partitionedUrl, plain.db)),
        ];
      } finally {
        for (const { db, events } of [plain, partitioned]) {
          await events.stop();
          await db.close();
        }
      }
    }),
};

/** SQL for event numbers `:first` to `:last` with their deliveries and attempts. */
const ROWS = [
  `INSERT INTO events (tenant_id, sequence, id, type, organization_id, document_id, channels, data, created_at)
   SELECT 'key-' || n % ${KEYS}, n, left(md5(n::text), 20), 'comment.add', 'acme',
     'document-' || n % 1000, ARRAY['organization:acme'], '${JSON.stringify(dataOf(0))}',
     now() + (n - ${EVENTS}) * interval '${DAYS * DAY_MS} ms' / ${EVENTS}
   FROM generate_series(:first::bigint, :last) AS n`,
  `INSERT INTO webhook_deliveries (tenant_id, endpoint_id, created_at, sequence, event_id, event_type,
     status, due_at, settled_at, attempts)
   SELECT tenant_id, '${BASIC_RAW}', created_at, sequence, id, type, state,
     CASE WHEN state = 'pending' THEN created_at END,
     CASE WHEN state <> 'pending' THEN created_at END, 1
   FROM events, LATERAL (SELECT CASE WHEN sequence > ${EVENTS - 20 * KEYS} THEN 'pending'
     ELSE 'delivered' END) AS s(state)
   WHERE sequence BETWEEN :first AND :last`,
  `INSERT INTO webhook_attempts (tenant_id, endpoint_id, sequence, number, at, status_code, latency_ms)
   SELECT tenant_id, '${BASIC_RAW}', sequence, 1, created_at, 200, 12 FROM events
   WHERE sequence BETWEEN :first AND :last`,
];

const rowsOf = (first: number, last: number): string[] =>
  ROWS.map((row) => row.replaceAll(':first', String(first)).replaceAll(':last', String(last)));

async function fill(database: Client): Promise<void> {
  await fillBy(database, EVENTS, [
    ...rowsOf(1, EVENTS),
    `SELECT setval(pg_get_serial_sequence('events', 'sequence'), :count)`,
    `INSERT INTO webhook_queues (tenant_id, endpoint_id, owner)
     SELECT 'key-' || n, '${BASIC_RAW}', '${WORKER}' FROM generate_series(0, ${KEYS - 1}) AS n`,
    `INSERT INTO service_settings (tenant_id) SELECT tenant_id FROM webhook_queues`,
    `INSERT INTO event_readers (name, sequence) VALUES ('bench', :count)`,
  ]);
}

/** Replaces the tables by partitioned ones with the same rows, keys and indexes. */
async function divide(client: Client): Promise<void> {
  for (const table of TABLES) {
    await client.query(`ALTER TABLE ${table} RENAME TO ${table}_before`);
    await client.query(
      `CREATE TABLE ${table} (LIKE ${table}_before INCLUDING ALL) PARTITION BY RANGE (sequence)`,
    );
    for (let n = 0; n < PARTITIONS; n++) {
      const from = n === 0 ? 'MINVALUE' : n * SHARE + 1;
      const to = n === PARTITIONS - 1 ? 'MAXVALUE' : (n + 1) * SHARE + 1;
      await client.query(
        `CREATE TABLE ${table}_${n} PARTITION OF ${table} FOR VALUES FROM (${from}) TO (${to})`,
      );
    }
    await client.query(`INSERT INTO ${table} SELECT * FROM ${table}_before ORDER BY sequence`);
  }
  await client.query('ALTER SEQUENCE events_sequence_seq OWNED BY events.sequence');
  for (const table of TABLES) await client.query(`DROP TABLE ${table}_before`);
  await client.query('VACUUM ANALYZE');
}

/** The disk takes longer for a commit than a statement takes, and is the same for both. */
const commitWithoutWaiting = (client: Client) =>
  client.query(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`);

interface Opened {
  db: Database;
  events: EventLog;
  /** Of deliveries that are settled. */
  outcomes: AttemptOutcome[];
}

async function open(url: string): Promise<Opened> {
  const log = createLogger('silent');
  const db = new Database({ url, poolSize: 1, log });
  const types = { 'comment.add': { summary: '', data: z.unknown(), example: {} } };
  const parts = { db, moves: db, clock: Date, log, metrics: createMetrics() };
  return { db, events: new EventLog({ ...parts, types }), outcomes: await settledDeliveries(db) };
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** A number that is the same for both tables, and another one in each repetition. */
const numberOf = (n: number, most = EVENTS): number => 1 + ((n * 7_919) % most);
const placeOf = (sequence: number) => ({
  tenantId: `key-${sequence % KEYS}`,
  sequence: String(sequence),
});

/** The work whose time is compared, by its label; `before` is not timed. */
const STATEMENTS: Record<
  string,
  { before?(opened: Opened, n: number): Promise<unknown>; run(opened: Opened, n: number): unknown }
> = {
  'move 1 event': {
    before: (opened, n) => commit(opened, n, 1),
    run: ({ events }) => events.sequence(),
  },
  'move 200 events': {
    before: (opened, n) => commit(opened, n, 200),
    run: ({ events }) => events.sequence(),
  },
  'newest number': { run: ({ db }) => newestSequence(db) },
  'newest number of a key': { run: ({ db }, n) => endOfLog(db, `key-${n % KEYS}`) },
  'page of a key, newest': { run: (opened, n) => page(opened, n, EVENTS - 1_000) },
  'page of a key, middle': { run: (opened, n) => page(opened, n, numberOf(n, EVENTS / 2)) },
  'resume after an event': {
    run: async ({ db }, n) => {
      const { tenantId, sequence } = placeOf(numberOf(n));
      if (!(await positionOf(db, tenantId, md5(sequence).slice(0, 20)))) throw new Error('Lost.');
    },
  },
  '20 events by number': {
    run: ({ db }, n) =>
      eventsAt(
        db,
        Array.from({ length: 20 }, (_, i) => placeOf(EVENTS - numberOf(n + i, 10_000))),
      ),
  },
  'load 1 due delivery': { run: (opened, n) => load(opened, n, 1) },
  'load 20 due deliveries': { run: (opened, n) => load(opened, n, 20) },
  'record 1 attempt': { run: (opened, n) => record(opened, n, 1) },
  'record 20 attempts': { run: (opened, n) => record(opened, n, 20) },
  '25 newest deliveries': {
    run: ({ db }, n) =>
      db.query(sql`
        SELECT * FROM webhook_deliveries
        WHERE tenant_id = ${`key-${n % KEYS}`} AND endpoint_id = ${BASIC_RAW}
        ORDER BY created_at DESC, sequence DESC LIMIT 25`),
  },
};

const page = ({ db }: Opened, n: number, after: number) =>
  eventsAfter(db, { tenantId: `key-${n % KEYS}`, after: String(after), types: null, limit: 20 });

const commit = ({ db }: Opened, n: number, count: number) =>
  db.query(sql`
    INSERT INTO event_outbox (tenant_id, id, type, organization_id, document_id, channels, data)
    SELECT 'key-' || (${n}::int + i) % ${KEYS}::int, left(md5(random()::text), 20), 'comment.add',
           'acme', 'document', '{}', ${JSON.stringify(dataOf(0))}::json
    FROM generate_series(1, ${count}::int) AS i`);

async function load({ db }: Opened, n: number, limit: number): Promise<void> {
  const queue = { tenantId: `key-${n % KEYS}`, endpointId: BASIC_RAW };
  const start = { after: undefined, version: null, afterIfChanged: undefined };
  const [loaded] = await loadDue(db, WORKER, [{ ...queue, ...start, limit }], new Date());
  if (loaded?.due.length !== limit) throw new Error(`${loaded?.due.length} were loaded.`);
}

/** Further attempts of deliveries that were settled long ago, which stay as they are. */
function record({ db, events, outcomes }: Opened, n: number, count: number): Promise<void> {
  const first = numberOf(n, outcomes.length - count);
  const secrets = new Secrets(SECRET_KEY);
  const ctx = { db, events, secrets, clock: Date, log: createLogger('silent') };
  return recordOutcomes(ctx, outcomes.slice(first, first + count), []);
}

function settledDeliveries(db: Database): Promise<AttemptOutcome[]> {
  return db.query<AttemptOutcome>(sql`
    SELECT tenant_id AS "tenantId", endpoint_id AS "endpointId", created_at AS "createdAt",
           sequence::text, created_at AS "wasDueAt", status, due_at AS "dueAt",
           settled_at AS "settledAt", 0 AS failures, 0 AS at, 200 AS "statusCode",
           9 AS "latencyMs", NULL AS error, NULL AS excerpt, NULL AS "failingSince"
    FROM webhook_deliveries WHERE status = 'delivered'
    ORDER BY webhook_deliveries.sequence DESC LIMIT 2000`);
}

/** The two take turns, so that a slow minute of the machine slows both. */
async function compareStatements(plain: Opened, partitioned: Opened): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [label, { before, run }] of Object.entries(STATEMENTS)) {
    const times = new Map<Opened, number[]>([
      [plain, []],
      [partitioned, []],
    ]);
    for (let n = 0; n < (ROUNDS + 1) * REPEATS; n++) {
      const turns = [...times];
      for (const [opened, measured] of n % 2 === 0 ? turns : turns.reverse()) {
        await before?.(opened, n);
        const startedAt = performance.now();
        await run(opened, n);
        measured.push(performance.now() - startedAt);
      }
    }
    // The first ones get the statements their plans.
    const [one = 0, other = 0] = [...times.values()].map((all) => median(all.slice(REPEATS)));
    findings.push({ label, value: ratio(other, one, 'ms', 3) });
  }
  return findings;
}

interface Cost {
  ms: number;
  /** Megabytes of the write-ahead log. */
  wal: number;
}

/** Writing and removing an equal part of the log, with what VACUUM has to do afterwards. */
async function compareRemovals(
  plainUrl: string,
  partitionedUrl: string,
  db: Database,
): Promise<Finding[]> {
  const written = await withClient(plainUrl, (client) => costOf(client, () => write(client)));
  const writtenInto = await withClient(partitionedUrl, (client) =>
    costOf(client, () => write(client)),
  );
  const deleted = await withClient(plainUrl, (client) => costOf(client, () => deleteShare(db)));
  const vacuumed = await withClient(plainUrl, (client) =>
    costOf(client, () => client.query(`VACUUM (PARALLEL 0) ${TABLES.join(', ')}`)),
  );
  const dropped = await withClient(partitionedUrl, (client) => costOf(client, () => drop(client)));
  const removed = { ms: deleted.ms + vacuumed.ms, wal: deleted.wal + vacuumed.wal };
  return [
    { label: `write ${SHARE} events`, value: bothRatios(writtenInto, written) },
    { label: 'remove as many', value: bothRatios(dropped, removed) },
    { label: 'of which VACUUM', value: bothRatios(vacuumed, removed) },
    { label: 'rows: removal to writing', value: bothRatios(removed, written) },
  ];
}

async function write(client: Client): Promise<void> {
  const { rows } = await client.query('SELECT max(sequence)::int AS newest FROM events');
  const newest: number = rows[0].newest;
  for (let from = newest + 1; from <= newest + SHARE; from += 200) {
    await client.query(rowsOf(from, Math.min(from + 199, newest + SHARE)).join(';'));
  }
}

/** The first partition's share of the days, as the periodic tasks delete it: a little at a time. */
async function deleteShare(db: Database): Promise<void> {
  const config = { eventRetentionDays: DAYS };
  const from = Date.now();
  for (let run = 1; run <= RUNS; run++) {
    const clock = { now: () => from + (DAYS * DAY_MS * SHARE * run) / RUNS / EVENTS };
    await deleteExpiredEvents({ db, config, clock }, Number.POSITIVE_INFINITY);
    await deleteExpiredDeliveries({ db, config, clock }, Number.POSITIVE_INFINITY);
  }
}

/** The first partition of each table, in a transaction that remembers up to where the log is gone. */
async function drop(client: Client): Promise<void> {
  await client.query(`
    BEGIN;
    INSERT INTO event_retention AS retention (tenant_id, removed_through)
    SELECT tenant_id, max(sequence) FROM events_0 GROUP BY tenant_id
    ON CONFLICT (tenant_id) DO UPDATE
      SET removed_through = GREATEST(retention.removed_through, EXCLUDED.removed_through);
    DROP TABLE ${TABLES.map((table) => `${table}_0`).join(', ')};
    COMMIT`);
}

async function costOf(client: Client, work: () => Promise<unknown>): Promise<Cost> {
  const { rows: before } = await client.query('SELECT pg_current_wal_insert_lsn() AS lsn');
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  const { rows } = await client.query(
    'SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 / 1048576 AS wal',
    [before[0].lsn],
  );
  return { ms, wal: rows[0].wal };
}

const ratio = (one: number, other: number, unit: string, digits: number): string =>
  `${(one / other).toFixed(2)} (${one.toFixed(digits)} to ${other.toFixed(digits)} ${unit})`;

const bothRatios = (one: Cost, other: Cost): string =>
  `${ratio(one.ms, other.ms, 'ms', 0)}, log ${ratio(one.wal, other.wal, 'MB', 1)}`;

async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export default logPartitions;

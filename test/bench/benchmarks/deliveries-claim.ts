import type { Client } from 'pg';
import { loadDue } from '../../../src/features/webhooks/engine/load-due.ts';
import { claimQueues } from '../../../src/features/webhooks/engine/queue-store.ts';
import { Database, sql } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { type Measurement, median } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { seedEndpoints } from '../harness/webhooks.ts';

const REPEATS = 300;
const BATCH = 128;
const [FEW, MANY] = [1_000, 1_000_000];
const FROM_START = { after: undefined, version: null, afterIfChanged: undefined };

/** Measures how the time to claim the next batch depends on the number of waiting deliveries. */
const claiming: Measurement = {
  name: 'deliveries-claim',
  async measure(postgres) {
    const few = await claimMs(postgres, FEW);
    const many = await claimMs(postgres, MANY);
    const ratio = many / few;
    return [
      { label: `${FEW} waiting`, value: `${few.toFixed(2)} ms for ${BATCH}` },
      { label: `${MANY} waiting`, value: `${many.toFixed(2)} ms for ${BATCH}` },
      { label: 'ratio', value: ratio.toFixed(2), target: '<= 1.5', met: ratio <= 1.5 },
    ];
  },
};

const claimMs = (postgres: Postgres, waiting: number): Promise<number> =>
  withFilled(
    postgres,
    (database) => fill(database, waiting),
    async (url) => {
      const db = new Database({ url, poolSize: 1, log: createLogger('silent') });
      const times: number[] = [];
      try {
        for (let repeat = 0; repeat < REPEATS; repeat++) times.push(await claimOnce(db));
      } finally {
        await db.close();
      }
      return median(times);
    },
  );

async function fill(database: Client, waiting: number): Promise<void> {
  const url = 'http://127.0.0.1:9/';
  await seedEndpoints(database, [{ id: 'endpoint', url, filterType: 'comment.add' }]);
  await database.query(
    `INSERT INTO events (tenant_id, sequence, id, type, organization_id, document_id, channels, data, created_at)
     SELECT $1, n, 'event-' || n, 'comment.add', 'acme', 'document-' || n, '{}', '{"n":1}', now()
     FROM generate_series(1, $2::int) AS n`,
    [TENANT, waiting],
  );
  await database.query(
    `INSERT INTO webhook_deliveries (tenant_id, endpoint_id, created_at, sequence, event_id, event_type, due_at)
     SELECT tenant_id, 'endpoint', created_at, sequence, id, type, created_at FROM events
     WHERE tenant_id = $1`,
    [TENANT],
  );
  await database.query(
    `INSERT INTO webhook_queues (tenant_id, endpoint_id, next_at) VALUES ($1, 'endpoint', now())`,
    [TENANT],
  );
}

async function claimOnce(db: Database): Promise<number> {
  const now = new Date(Date.now() + 60_000);
  const startedAt = performance.now();
  const queues = await claimQueues(db, 'worker', now, 100, []);
  const orders = queues.map((queue) => ({ ...queue, ...FROM_START, limit: BATCH }));
  const [loaded] = await loadDue(db, 'worker', orders, now);
  const elapsedMs = performance.now() - startedAt;
  if (loaded?.due.length !== BATCH) throw new Error(`${loaded?.due.length} were claimed.`);
  await db.query(sql`UPDATE webhook_queues /* all tenants */ SET owner = NULL`);
  return elapsedMs;
}

export default claiming;

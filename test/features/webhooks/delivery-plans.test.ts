import { expect, it } from 'vitest';
import { webhookReader } from '../../../src/features/webhooks/webhook-reader.ts';
import type { Sql, Transaction } from '../../../src/platform/database/database.ts';
import type { LoggedEvent } from '../../../src/platform/events/logged-events.ts';
import type { Headers } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';
import { copyEndpoint, createEndpoint, PATHS, webhookTenant } from '../../support/webhooks.ts';

// Without workers, the deliveries stay as they are.
const server = testServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', ROLES: 'api' });

const url = 'http://127.0.0.1:4000/';
const ENDPOINTS = 30;
const EVENTS = 100;

const eventsOf = (headers: Headers, count: number): LoggedEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    tenantId: headers['x-svc-api-key'] ?? '',
    sequence: String(1_000_000 + n),
    id: `event-${n}`,
    type: 'document.add',
    organizationId: null,
    documentId: null,
    channels: [],
    createdAt: new Date(),
    data: null,
  }));

it('a batch of events makes at most 10,000 deliveries, however many endpoints a key has', async () => {
  const [few, many] = [await webhookTenant(server), await webhookTenant(server)];
  await createEndpoint(server, many, { url });
  await copyEndpoint(server, many, 499);
  const batchSizeOf = (events: LoggedEvent[]) =>
    server.app.services.db.transaction(async (tx) => webhookReader.limitBatch?.(tx, events));
  const [ofFew, ofMany] = [eventsOf(few, 100), eventsOf(many, 100)];
  expect(await batchSizeOf(ofFew)).toBe(100);
  // Each key may also have two basic webhooks.
  expect(await batchSizeOf(ofMany)).toBe(Math.floor(10_000 / 502));
  expect(await batchSizeOf([...ofFew, ...ofMany])).toBe(100 + Math.floor((10_000 - 200) / 502));
});

it('deliveries of many events to many endpoints are made without comparing each delivery with each endpoint', async () => {
  const headers = await webhookTenant(server);
  for (let n = 0; n < ENDPOINTS; n++) await createEndpoint(server, headers, { url });
  const events = eventsOf(headers, EVENTS);
  const { services } = server.app;
  const statements: Sql[] = [];
  const tx = { beforeCommit: (statement: Sql) => statements.push(statement) };
  await webhookReader.handle(services, tx as unknown as Transaction, events);
  const [{ text = '', values = [] } = {}] = statements;
  const explained = await services.db.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  const plan = JSON.stringify(explained.rows);
  const removed = [...plan.matchAll(/"Rows Removed by Join Filter":(\d+)/g)].map(([, n]) =>
    Number(n),
  );
  expect(plan).toContain(`"Tuples Inserted":${ENDPOINTS * EVENTS}`);
  expect(Math.max(0, ...removed)).toBeLessThanOrEqual(ENDPOINTS * EVENTS);
});

/** Half of them have failed, and half wait: each half is more than one step of a recovery. */
const DELIVERIES = 12_000;

it('a recovery sends thousands of failed and waiting deliveries again, each once, also before the database has statistics', async () => {
  const headers = await webhookTenant(server);
  const { id: endpointId } = await createEndpoint(server, headers, { url });
  const { pool } = server.app.services.db;
  const key = [headers['x-svc-api-key'], endpointId];
  await pool.query(
    `INSERT INTO webhook_queues (tenant_id, endpoint_id, next_at, last_due_at, version)
     VALUES ($1, $2, now(), now(), 1)`,
    key,
  );
  // Even deliveries were given up, and odd ones wait. Each of them failed five minutes ago.
  await pool.query(
    `INSERT INTO webhook_deliveries (tenant_id, endpoint_id, created_at, sequence, event_id, event_type,
       status, due_at, settled_at, attempts, failures)
     SELECT $1, $2, now() - interval '1 hour' + n / 10 * interval '1 ms', n, 'e' || n, 'comment.add',
       CASE n % 2 WHEN 0 THEN 'failed' ELSE 'pending' END,
       CASE n % 2 WHEN 1 THEN now() + interval '1 hour' END,
       CASE n % 2 WHEN 0 THEN now() - interval '5 minutes' END, 1, 1
     FROM generate_series(1, ${DELIVERIES}) AS n`,
    key,
  );
  await pool.query(
    `INSERT INTO webhook_attempts (tenant_id, endpoint_id, sequence, number, at, latency_ms)
     SELECT $1, $2, n, 1, now() - interval '5 minutes', 1 FROM generate_series(1, ${DELIVERIES}) AS n`,
    key,
  );
  const recover = (minutesAgo: number) =>
    server.ok(PATHS.recover, { endpointId, since: Date.now() - minutesAgo * 60_000 }, headers);
  expect(await recover(1)).toEqual({ recovered: 0 });
  expect(await recover(10)).toEqual({ recovered: DELIVERIES });
  expect(await recover(10)).toEqual({ recovered: 0 });
  const { rows } = await pool.query(
    `SELECT count(*)::int AS count FROM webhook_deliveries
     WHERE tenant_id = $1 AND endpoint_id = $2 AND status = 'pending' AND failures = 0
       AND settled_at IS NULL AND due_at < now() + interval '1 minute'`,
    key,
  );
  expect(rows).toEqual([{ count: DELIVERIES }]);
});

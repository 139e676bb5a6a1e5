import { expect, it } from 'vitest';
import { webhookReader } from '../../../src/features/webhooks/fan-out.ts';
import type { Sql, Transaction } from '../../../src/platform/database/database.ts';
import type { LoggedEvent } from '../../../src/platform/events/logged-events.ts';
import type { Headers } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';
import { copyEndpoint, createEndpoint, webhookTenant } from '../../support/webhooks.ts';

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

it('at most 10,000 deliveries are made at a time, by the endpoints of each key', async () => {
  const [few, many] = [await webhookTenant(server), await webhookTenant(server)];
  await createEndpoint(server, many, { url });
  await copyEndpoint(server, many, 499);
  const { db } = server.app.services;
  const countAtOnce = (events: LoggedEvent[]) =>
    db.transaction(async (tx) => webhookReader.limitBatch?.(tx, events));
  const ofFew = eventsOf(few, 100);
  const ofMany = eventsOf(many, 100);
  expect(await countAtOnce(ofFew)).toBe(100);
  // Each key may also have two basic webhooks.
  expect(await countAtOnce(ofMany)).toBe(Math.floor(10_000 / 502));
  expect(await countAtOnce([...ofFew, ...ofMany])).toBe(100 + Math.floor((10_000 - 200) / 502));
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

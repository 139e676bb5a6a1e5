import { expect, it } from 'vitest';
import { webhookReader } from '../../../src/features/webhooks/fan-out.ts';
import type { Sql, Transaction } from '../../../src/platform/database/database.ts';
import type { LoggedEvent } from '../../../src/platform/events/logged-events.ts';
import { testServer } from '../../support/server.ts';
import { createEndpoint, webhookTenant } from '../../support/webhooks.ts';

const server = testServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', ROLES: 'api' });

const ENDPOINTS = 30;
const EVENTS = 100;

it('deliveries of many events to many endpoints are made without comparing each delivery with each endpoint', async () => {
  const headers = await webhookTenant(server);
  const url = 'http://127.0.0.1:4000/';
  for (let n = 0; n < ENDPOINTS; n++) await createEndpoint(server, headers, { url });
  const events = Array.from(
    { length: EVENTS },
    (_, n): LoggedEvent => ({
      tenantId: headers['x-svc-api-key'] ?? '',
      sequence: String(1_000_000 + n),
      id: `event-${n}`,
      type: 'document.add',
      organizationId: null,
      documentId: null,
      channels: [],
      createdAt: new Date(),
      data: null,
    }),
  );
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

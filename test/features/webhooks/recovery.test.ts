import { expect, it } from 'vitest';
import { testServer } from '../../support/server.ts';
import { createEndpoint, PATHS, webhookTenant } from '../../support/webhooks.ts';

// Without workers, the deliveries stay as they are.
const server = testServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', ROLES: 'api' });

/** More than one step of a recovery. */
const COUNT = 6_000;

it('a recovery sends thousands of failed and waiting deliveries again, each once, also before the database has statistics', async () => {
  const headers = await webhookTenant(server);
  const { id: endpointId } = await createEndpoint(server, headers, {
    url: 'http://127.0.0.1:4000/',
  });
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
     FROM generate_series(1, ${2 * COUNT}) AS n`,
    key,
  );
  await pool.query(
    `INSERT INTO webhook_attempts (tenant_id, endpoint_id, sequence, number, at, latency_ms)
     SELECT $1, $2, n, 1, now() - interval '5 minutes', 1 FROM generate_series(1, ${2 * COUNT}) AS n`,
    key,
  );
  const recover = (minutesAgo: number) =>
    server.ok(PATHS.recover, { endpointId, since: Date.now() - minutesAgo * 60_000 }, headers);
  expect(await recover(1)).toEqual({ recovered: 0 });
  expect(await recover(10)).toEqual({ recovered: 2 * COUNT });
  expect(await recover(10)).toEqual({ recovered: 0 });
  const { rows } = await pool.query(
    `SELECT count(*)::int AS count FROM webhook_deliveries
     WHERE tenant_id = $1 AND endpoint_id = $2 AND status = 'pending' AND failures = 0
       AND settled_at IS NULL AND due_at < now() + interval '1 minute'`,
    key,
  );
  expect(rows).toEqual([{ count: 2 * COUNT }]);
});

import type { Client } from 'pg';
import { filtered, growthOfLists, type Tables } from '../growth/lists.ts';
import { pageTokenAfter } from '../growth/page-tokens.ts';
import { endpoints } from '../growth/webhook-rows.ts';
import { fillBy } from '../harness/fill.ts';

const path = '/v2/workspace/advancedwebhook/deliveries/get';
const ENDPOINTS = 10;
const endpointId = 'endpoint-3';
/** The time of the first delivery. Each follows a second after the one before. */
const FIRST_MS = Date.UTC(2026, 0);

function tables(count: number): Tables {
  const middle = Math.floor(count / 2);
  const key = [String(FIRST_MS + middle * 1000), String(middle), endpointId];
  const iterator = pageTokenAfter('webhookDeliveries.get', {}, key);
  const lines = (filters: Record<string, object>) => filtered(path, { limit: 10 }, filters);
  return {
    'Webhook deliveries: one filter': lines({
      newest: {},
      'page in the middle': { iterator },
      'of an endpoint': { endpointId },
      delivered: { status: 'delivered' },
      'failed, ten of all': { status: 'failed' },
      pending: { status: 'pending' },
      'of a type': { type: 'comment.add' },
      'of a rare type, ten of all': { type: 'recording.delete' },
      'since the middle': { since: FIRST_MS + middle * 1000 },
    }),
    'Webhook deliveries: several filters': lines({
      'of an endpoint and a type': { endpointId, type: 'comment.add' },
      'of an endpoint, delivered': { endpointId, status: 'delivered' },
      'of an endpoint, pending': { endpointId, status: 'pending' },
      'of a type, pending': { type: 'comment.add', status: 'pending' },
      'of a rare type, delivered': { type: 'recording.delete', status: 'delivered' },
    }),
  };
}

const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    ...endpoints(String(ENDPOINTS)),
    `INSERT INTO webhook_deliveries (tenant_id, endpoint_id, created_at, sequence, event_id,
       event_type, status, due_at, settled_at, attempts)
     SELECT :tenant, 'endpoint-' || n % ${ENDPOINTS},
       to_timestamp(${FIRST_MS / 1000} + n), n, 'event-' || n,
       CASE WHEN n % (:count / 10) = 7 THEN 'recording.delete' ELSE 'comment.add' END,
       state, CASE WHEN state = 'pending' THEN now() + '1 day' END,
       CASE WHEN state <> 'pending' THEN now() END, 1
     FROM generate_series(0, :count - 1) AS n, LATERAL (SELECT CASE
       WHEN n % (:count / 10) = 5 THEN 'failed' WHEN n % 100 < 10 AND n % 2 = 1 THEN 'pending'
       ELSE 'delivered' END) AS s(state)`,
    `INSERT INTO webhook_attempts
       (tenant_id, endpoint_id, sequence, number, at, status_code, latency_ms)
     SELECT :tenant, 'endpoint-' || n % ${ENDPOINTS}, n, 1, now(), 200, 12
     FROM generate_series(0, :count - 1) AS n`,
  ]);

export default growthOfLists({
  name: 'growth-webhook-deliveries',
  sizeOf: 'deliveries',
  fill,
  tables,
});

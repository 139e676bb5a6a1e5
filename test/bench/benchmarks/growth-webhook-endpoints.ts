import type { Client } from 'pg';
import { growthOfLists, type Tables } from '../growth/lists.ts';
import { endpoints } from '../growth/webhook-rows.ts';
import { fillBy } from '../harness/fill.ts';

const ENDPOINTS = '/v2/workspace/advancedwebhook/endpoints/get';
const DELIVERIES = '/v2/workspace/advancedwebhook/deliveries/get';

const tables = (): Tables => ({
  'Webhook endpoints of a key': {
    'the first 10 endpoints': { path: ENDPOINTS, data: { limit: 10 } },
    'the newest 10 deliveries of all': { path: DELIVERIES, data: { limit: 10 } },
    'those of one endpoint': { path: DELIVERIES, data: { limit: 10, endpointId: 'endpoint-3' } },
  },
});

/** Each endpoint has twenty deliveries. */
const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    ...endpoints(':count'),
    `INSERT INTO webhook_deliveries (tenant_id, endpoint_id, created_at, sequence, event_id,
       event_type, status, settled_at, attempts)
     SELECT :tenant, 'endpoint-' || n % :count, to_timestamp(n), n, 'event-' || n, 'comment.add',
       'delivered', now(), 1
     FROM generate_series(0, 20 * :count - 1) AS n`,
  ]);

export default growthOfLists({
  name: 'growth-webhook-endpoints',
  sizeOf: 'endpoints, at most 1,000',
  reasons: {
    'the newest 10 deliveries of all':
      'It reads the newest of each endpoint, of which a key has at most 1,000. An index over all endpoints would cost every delivery a write.',
  },
  smallest: 10,
  largest: 1_000,
  fill,
  tables,
});

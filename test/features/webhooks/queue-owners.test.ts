import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { EndpointQueue } from '../../../src/features/webhooks/engine/endpoint-queue.ts';
import { claimQueues, releaseQueues } from '../../../src/features/webhooks/engine/queue-store.ts';
import { wakeQueues } from '../../../src/features/webhooks/queues.ts';
import { eventually, SOON_MS } from '../../support/eventually.ts';
import { execute } from '../../support/global-setup.ts';
import { startTestServer } from '../../support/server.ts';
import {
  createEndpoint,
  deliveriesOf,
  fanOut,
  publishEvents,
  webhookScene,
  webhookTenant,
} from '../../support/webhooks.ts';

describe('the queue of an endpoint', () => {
  it('wakes its owner when another process adds deliveries', async () => {
    const owner = await startTestServer({ ROLES: 'api' });
    const other = await startTestServer({ ROLES: 'api', DATABASE_URL: owner.databaseUrl });
    const headers = await webhookTenant(owner);
    const { id } = await createEndpoint(owner, headers, { url: 'https://example.com/' });
    await publishEvents(owner, headers, [{}]);
    const { db, events, wakeUps } = owner.app.services;
    await events.sequence();
    await db.pool.query(
      'INSERT INTO webhook_queues (tenant_id, endpoint_id, owner) VALUES ($1, $2, $3)',
      [headers['x-svc-api-key'], id, db.id],
    );
    const woken = once(wakeUps, 'deliveries', { signal: AbortSignal.timeout(10_000) });
    await fanOut(other, headers);
    await woken;
  });

  it('is sent again after the lease was lost, and every attempt is recorded although all end at once', async () => {
    const server = await startTestServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
    const { headers, receiver } = await webhookScene(server);
    await createEndpoint(server, headers, { url: receiver.url });
    const unanswered: ServerResponse[] = [];
    receiver.respond = (_request, response) => void unanswered.push(response);
    await publishEvents(server, headers, [{}]);
    await eventually(() => expect(unanswered).toHaveLength(2));
    await execute(server.databaseUrl, 'DELETE FROM webhook_workers');
    await execute(server.databaseUrl, 'UPDATE webhook_queues SET owner = NULL, next_at = now()');
    await eventually(() => expect(unanswered).toHaveLength(4));
    for (const response of unanswered) response.end();
    await eventually(async () => {
      const deliveries = await deliveriesOf(server, headers);
      expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([2, 2]);
    }, SOON_MS);
  });

  it('stays due when its endpoint changes just before the release, also after a jump of the clock, and keeps its rate limit', async () => {
    const { services } = (await startTestServer({ ROLES: 'api' })).app;
    const { db, wakeUps } = services;
    const tenantId = 'jumped';
    const insert =
      'INSERT INTO webhook_queues (tenant_id, endpoint_id, next_at) VALUES ($1, $2, now())';
    await db.pool.query(insert, [tenantId, 'endpoint']);
    const now = Date.now() + 1_000;
    const [claimed] = await claimQueues(db, new Date(now), 1, []);
    if (!claimed) throw new Error('The queue was not claimed.');
    const clock = { now: () => now + 60_000 };
    await db.transaction((tx) => wakeQueues({ clock, wakeUps, tenantId }, tx));
    const queue = new EndpointQueue(claimed, now);
    queue.bucket.rate = { perSecond: 10, burst: 10 };
    queue.bucket.spend(10, now);
    await releaseQueues(db, [queue], new Date(now));
    const { rows } = await db.pool.query(
      'SELECT owner, next_at AS "nextAt" FROM webhook_queues WHERE tenant_id = $1',
      [tenantId],
    );
    expect(rows).toEqual([{ owner: null, nextAt: new Date(now) }]);
    const [again] = await claimQueues(db, new Date(now), 1, []);
    if (!again) throw new Error('The queue was not claimed again.');
    expect(new EndpointQueue(again, now).bucket.snapshot).toEqual({ tokens: 0, at: now });
  });
});

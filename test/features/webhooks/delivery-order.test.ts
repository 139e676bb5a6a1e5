import { expect, it } from 'vitest';
import { EndpointQueue } from '../../../src/features/webhooks/engine/endpoint-queue.ts';
import { EndpointQueues } from '../../../src/features/webhooks/engine/endpoint-queues.ts';
import { prefetchDeliveries } from '../../../src/features/webhooks/engine/prefetch-deliveries.ts';
import { claimQueues } from '../../../src/features/webhooks/engine/queue-store.ts';
import { webhookReader } from '../../../src/features/webhooks/fan-out.ts';
import { testServer } from '../../support/server.ts';
import { createEndpoint, publishEvents, webhookTenant } from '../../support/webhooks.ts';

const WORKER = 'a-worker';
const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };

const server = testServer({ ROLES: 'api' }, { clock });

it('a delivery that was added while a later retry was loaded is not overtaken by the next', async () => {
  const { services } = server.app;
  const headers = await webhookTenant(server);
  const tenantId = headers['x-svc-api-key'] ?? '';
  await createEndpoint(server, headers, { url: 'https://example.com/hooks' });
  let after = '0';
  const addDelivery = async () => {
    await publishEvents(server, headers, [{}]);
    await services.events.sequence();
    const { events } = await services.events.read({ tenantId, after, types: null, limit: 10 });
    after = events.at(-1)?.sequence ?? after;
    await services.db.transaction((tx) => webhookReader.handle(services, tx, events));
    return after;
  };
  const queues = new EndpointQueues();
  const load = async () => {
    for (const row of await claimQueues(services.db, WORKER, new Date(clock.time), 1, [])) {
      const owned = queues.get(row);
      if (owned) owned.reclaim(row);
      else queues.add(new EndpointQueue(row, clock.time));
    }
    await prefetchDeliveries(services, WORKER, queues);
  };

  const retried = await addDelivery();
  const retryAt = clock.time + 5_000;
  await services.db.pool.query(
    'UPDATE webhook_deliveries SET failures = 1, due_at = $1 WHERE tenant_id = $2',
    [new Date(retryAt), tenantId],
  );
  clock.time = retryAt;
  await load();
  const [queue] = queues.all();
  if (!queue) throw new Error('No queue is due.');

  // The fan-out of this event began before the retry was due, and commits only now.
  clock.time = retryAt - 1_000;
  const early = await addDelivery();
  await load();
  clock.time = retryAt + 1_000;
  const late = await addDelivery();
  await load();
  const sent: string[] = [];
  for (let next = queue.next(); next; next = queue.next()) {
    queue.begin(next);
    sent.push(next.sequence);
  }
  expect(sent).toEqual([retried, early, late]);
});

import { expect, it } from 'vitest';
import {
  EndpointQueue,
  type ReadyDelivery,
} from '../../../src/features/webhooks/engine/endpoint-queue.ts';
import { loadDeliveries } from '../../../src/features/webhooks/engine/load-deliveries.ts';
import { outcomeOf } from '../../../src/features/webhooks/engine/outcome.ts';
import { claimQueues } from '../../../src/features/webhooks/engine/queue-store.ts';
import { recordOutcomes } from '../../../src/features/webhooks/engine/record-outcomes.ts';
import { testServer } from '../../support/server.ts';
import {
  createEndpoint,
  deliveriesOf,
  fanOut,
  PATHS,
  publishEvents,
  webhookTenant,
} from '../../support/webhooks.ts';

const START = Date.UTC(2027, 0, 5, 9);
const clock = { time: START, now: () => clock.time };

const server = testServer({ ROLES: 'api' }, { clock });

/** An endpoint whose deliveries are added and loaded one step after the other. */
async function scene() {
  clock.time = START;
  const { services } = server.app;
  const headers = await webhookTenant(server);
  const tenantId = headers['x-svc-api-key'] ?? '';
  const url = 'https://example.com/hooks';
  const { id: endpointId } = await createEndpoint(server, headers, { url });
  let after = '0';
  const queues = new Map<string, EndpointQueue>();
  const ownedQueue = () => {
    const queue = queues.get(endpointId);
    if (!queue) throw new Error('No queue is due.');
    return queue;
  };
  return {
    services,
    headers,
    tenantId,
    async addDelivery() {
      await publishEvents(server, headers, [{}]);
      after = await fanOut(server, headers, after);
      return after;
    },
    async load() {
      for (const row of await claimQueues(services.db, new Date(clock.time), 1, [])) {
        const owned = queues.get(row.endpointId);
        if (owned) owned.reclaim(row);
        else queues.set(row.endpointId, new EndpointQueue(row, clock.time));
      }
      const loading = [...queues.values()].filter(({ needsLoad }) => needsLoad);
      await loadDeliveries(services, loading);
    },
    /** Begins to send all that may leave. */
    begin() {
      const queue = ownedQueue();
      const sent = [];
      for (let next = queue.nextReady(); next; next = queue.nextReady()) {
        queue.markInFlight(next);
        sent.push(next);
      }
      return sent;
    },
    /** Stores that these requests have succeeded. */
    async record(sent: ReadyDelivery[], startedAt: number) {
      const queue = ownedQueue();
      const answer = { statusCode: 200, retryAfter: undefined, excerpt: '', error: null };
      const circumstances = { now: START, failingSince: null, canBeDisabled: true, random: 0 };
      for (const delivery of sent) {
        queue.markEnded(delivery, true);
        const result = { ...answer, latencyMs: 1 };
        const outcome = outcomeOf(delivery, result, { ...circumstances, startedAt });
        await recordOutcomes(services, [outcome]);
        queue.markRecorded(outcome);
      }
    },
  };
}

it('a delivery that was added while a later retry was loaded is not overtaken by the next', async () => {
  const { services, tenantId, addDelivery, load, begin } = await scene();
  const retried = await addDelivery();
  const retryAt = clock.time + 5_000;
  await services.db.pool.query(
    'UPDATE webhook_deliveries SET failures = 1, due_at = $1 WHERE tenant_id = $2',
    [new Date(retryAt), tenantId],
  );
  clock.time = retryAt;
  await load();

  // The fan-out of this event began before the retry was due, and commits only now.
  clock.time = retryAt - 1_000;
  const early = await addDelivery();
  await load();
  clock.time = retryAt + 1_000;
  const late = await addDelivery();
  await load();
  expect(begin().map(({ sequence }) => sequence)).toEqual([retried, early, late]);
});

// The clock of the process that resends may be behind.
it.each([1, 0, -500])(
  'a delivery that is resent during its request, %i ms later by the clock, is sent again after it',
  async (aheadMs) => {
    const { headers, addDelivery, load, begin, record } = await scene();
    await addDelivery();
    await load();
    const first = begin();
    const [underWay] = await deliveriesOf(server, headers);
    clock.time += aheadMs;
    await server.ok(PATHS.resend, { deliveryId: underWay?.id }, headers);
    clock.time = Math.max(START, clock.time);
    await load();
    expect(begin()).toEqual([]);

    await record(first, START);
    const second = begin();
    expect([first, second]).toMatchObject([[{ failures: 0 }], [{ failures: 0 }]]);
    await record(second, START + 1);
    const [delivery] = await deliveriesOf(server, headers);
    expect(delivery?.status).toBe('delivered');
    expect(delivery?.attempts.map(({ at }) => at)).toEqual([START, START + 1]);
  },
);

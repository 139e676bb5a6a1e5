import { expect, it } from 'vitest';
import {
  EndpointQueue,
  type ReadyDelivery,
} from '../../../src/features/webhooks/engine/endpoint-queue.ts';

const claimed = {
  ...{ tenantId: 't', endpointId: 'e', version: 1, dueBefore: new Date(1) },
  ...{ tokens: null, tokensAt: null, failingSince: null },
};

const deliveries = (from: number, count: number, bodyLength: number): ReadyDelivery[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ tenantId: 't', endpointId: 'e', createdAt: new Date(0), dueAt: new Date(0), failures: 0 },
    ...{ sequence: String(from + index), eventId: `event-${from + index}`, documentKey: undefined },
    body: 'x'.repeat(bodyLength),
  }));

/** Loads as many deliveries as the queue requests, and sends all that may leave, many times. */
function flood(queue: EndpointQueue, bodyLength: number): number {
  let [most, held, from] = [0, 0, 0];
  for (let round = 0; round < 100; round++) {
    const loaded = deliveries(from, queue.prefetchCount, bodyLength);
    queue.addLoaded(loaded, false);
    from += loaded.length;
    held += loaded.length;
    const sent: ReadyDelivery[] = [];
    for (let next = queue.nextReady(); next; next = queue.nextReady()) {
      queue.markInFlight(next);
      sent.push(next);
    }
    most = Math.max(most, held * bodyLength);
    held -= sent.length;
    for (const delivery of sent) {
      queue.markEnded(delivery, true);
      queue.markRecorded(delivery);
    }
  }
  return most;
}

it('the queue of an endpoint holds few large bodies, and many small ones after a while', () => {
  const large = 5_000_000;
  expect(flood(new EndpointQueue(claimed, 0), large)).toBeLessThan(8 * large + 1);
  const queue = new EndpointQueue(claimed, 0);
  expect(queue.prefetchCount).toBe(8);
  flood(queue, 1024 * 1024);
  expect(queue.prefetchCount).toBeLessThanOrEqual(8);
  flood(queue, 1_000);
  expect(queue.prefetchCount).toBeGreaterThanOrEqual(64);
});

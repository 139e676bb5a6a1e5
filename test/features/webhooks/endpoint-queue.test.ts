import { describe, expect, it } from 'vitest';
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

/**
 * Loads as many deliveries as the queue requests, and sends all that may leave, for some rounds.
 */
function flood(queue: EndpointQueue, bodyLength: number, rounds: number): number {
  let most = 0;
  let held = 0;
  for (let from = 0; rounds > 0; rounds--) {
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

describe('the queue of an endpoint', () => {
  it('sends up to 64 small bodies at a time, once its endpoint has answered well for a while', () => {
    const queue = new EndpointQueue(claimed, 0);
    expect(queue.prefetchCount).toBe(8);
    flood(queue, 1_000, 100);
    expect(queue.prefetchCount).toBeGreaterThanOrEqual(64);
  });

  it('holds few large bodies, to limit its memory', () => {
    const [MEGABYTE, large] = [1024 * 1024, 5_000_000];
    expect(flood(new EndpointQueue(claimed, 0), large, 100)).toBeLessThan(8 * large + 1);
    const queue = new EndpointQueue(claimed, 0);
    flood(queue, MEGABYTE, 100);
    expect(queue.prefetchCount).toBeLessThanOrEqual(8);
    // The count rises again once bodies are small.
    flood(queue, 1_000, 100);
    expect(queue.prefetchCount).toBeGreaterThanOrEqual(64);
  });
});

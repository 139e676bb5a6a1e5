import { describe, expect, it } from 'vitest';
import { Lane, type ReadyDelivery } from '../../src/features/webhooks/engine/lane.ts';

const queue = { tenantId: 't', endpointId: 'e', tokens: null, tokensAt: null, failingSince: null };

const deliveries = (from: number, count: number, bodyLength: number): ReadyDelivery[] =>
  Array.from({ length: count }, (_, index) => ({
    tenantId: 't',
    endpointId: 'e',
    createdAt: new Date(0),
    sequence: String(from + index),
    dueAt: new Date(0),
    failures: 0,
    eventId: `event-${from + index}`,
    documentKey: undefined,
    body: 'x'.repeat(bodyLength),
  }));

/** Fills the lane as often as it asks, each time with what it asks for, and sends what may leave. */
function flood(lane: Lane, bodyLength: number, rounds: number): number {
  let most = 0;
  for (let from = 0; rounds > 0; rounds--) {
    lane.beginLoad();
    const loaded = deliveries(from, lane.appetite, bodyLength);
    lane.endLoad(loaded, false);
    from += loaded.length;
    const sent: ReadyDelivery[] = [];
    for (let next = lane.next(); next; next = lane.next()) {
      lane.begin(next);
      sent.push(next);
    }
    most = Math.max(most, lane.heldCount * bodyLength);
    for (const delivery of sent) {
      lane.end(delivery, true);
      lane.recorded(delivery.sequence);
    }
  }
  return most;
}

describe('a lane', () => {
  it('sends up to 64 small bodies at a time, once its endpoint has answered well for a while', () => {
    const lane = new Lane(queue, 0);
    expect(lane.appetite).toBe(8);
    flood(lane, 1_000, 100);
    expect(lane.appetite).toBeGreaterThanOrEqual(64);
  });

  it('holds few large bodies, so that they do not fill the memory', () => {
    const [MEGABYTE, large] = [1024 * 1024, 5_000_000];
    expect(flood(new Lane(queue, 0), large, 100)).toBeLessThan(8 * large + 1);
    const lane = new Lane(queue, 0);
    flood(lane, MEGABYTE, 100);
    expect(lane.appetite).toBeLessThanOrEqual(8);
    // And goes back to many once they are small again.
    flood(lane, 1_000, 100);
    expect(lane.appetite).toBeGreaterThanOrEqual(64);
  });

  it('asks for more where something came while a load was under way', () => {
    const lane = new Lane(queue, 0);
    lane.beginLoad();
    lane.endLoad([], true);
    expect(lane.isExhausted).toBe(true);
    lane.beginLoad();
    lane.tell();
    lane.endLoad([], true);
    expect(lane.isExhausted).toBe(false);
  });
});

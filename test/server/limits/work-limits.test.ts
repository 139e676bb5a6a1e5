import { expect, it } from 'vitest';
import { WorkLimits } from '../../../src/api/limits/work-limits.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';

/** The queue of a key, with calls that all end at once. */
function queueOf(callsInFlight: number) {
  const settings = { callsInFlight, items: 0, bytes: 0, databaseMs: 0 };
  const limits = new WorkLimits(settings, createMetrics());
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const running: string[] = [];
  const start = (what: string, work: object = {}) =>
    limits.withPermit('acme', { items: 1, bytes: 0, ...work }, undefined, () => {
      running.push(what);
      return end;
    });
  return { start, running, end: resolve };
}
const turn = () => new Promise((done) => setImmediate(done));

it.each([
  ['small', 1, 2, 1],
  ['large', 1_000, 1, 10],
])(
  'a call that is refused because its queue is full gets a time to retry: %s',
  async (size, items, running, retryAfterSeconds) => {
    const { start, end } = queueOf(2);
    const calls = Array.from({ length: running + 1_000 }, () => start(size, { items }));
    const refused = { status: 'RESOURCE_EXHAUSTED', retryAfterSeconds };
    await expect(start(size, { items })).rejects.toMatchObject(refused);
    end();
    await Promise.all(calls);
  },
);

it('calls that share a commit run besides the others, four times as many, and then wait', async () => {
  const { start, running, end } = queueOf(2);
  const pair = () => [start('sharing', { sharesCommit: true }), start('alone')];
  const calls = Array.from({ length: 20 }, pair).flat();
  await turn();
  expect(running.toSorted()).toEqual([...Array(2).fill('alone'), ...Array(8).fill('sharing')]);
  end();
  await Promise.all(calls);
  expect(running).toHaveLength(40);
});

it('a user who sends many calls occupies half of the places of the key, so that other users need not wait', async () => {
  const { start, running, end } = queueOf(4);
  const calls = Array.from({ length: 100 }, () => start('eve', { userId: 'eve' }));
  await turn();
  calls.push(start('ada', { userId: 'ada' }), start('key'));
  await turn();
  expect(running.toSorted()).toEqual(['ada', 'eve', 'eve', 'key']);
  end();
  await Promise.all(calls);
  expect(running).toHaveLength(102);
});

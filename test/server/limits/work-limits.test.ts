import { expect, it } from 'vitest';
import { WorkLimits } from '../../../src/api/limits/work-limits.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';

const SETTINGS = { callsInFlight: 2, items: 0, bytes: 0, databaseMs: 0 };
const turn = () => new Promise((done) => setImmediate(done));

it.each([
  ['small', 1, 2, 1],
  ['large', 1_000, 1, 10],
])(
  'a call that is refused because its queue is full gets a time to retry: %s',
  async (_size, items, running, seconds) => {
    const limits = new WorkLimits(SETTINGS, createMetrics());
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const call = () => limits.withPermit('acme', { items, bytes: 0 }, undefined, () => end);
    const calls = Array.from({ length: running + 1_000 }, call);
    await expect(call()).rejects.toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      retryAfterSeconds: seconds,
    });
    resolve();
    await Promise.all(calls);
  },
);

it('calls that share a commit run besides the others, four times as many, and then wait', async () => {
  const limits = new WorkLimits(SETTINGS, createMetrics());
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const running = { alone: 0, sharing: 0 };
  const start = (kind: keyof typeof running) => {
    const work = { items: 1, bytes: 0, sharesCommit: kind === 'sharing' };
    return limits.withPermit('acme', work, undefined, () => {
      running[kind]++;
      return end;
    });
  };
  const calls = Array.from({ length: 20 }, () => [start('sharing'), start('alone')]).flat();
  await turn();
  expect(running).toEqual({ alone: 2, sharing: 8 });
  resolve();
  await Promise.all(calls);
  expect(running).toEqual({ alone: 20, sharing: 20 });
});

it('a user who sends many calls occupies half of the places of the key, so that other users need not wait', async () => {
  const limits = new WorkLimits({ ...SETTINGS, callsInFlight: 4 }, createMetrics());
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const running: string[] = [];
  const start = (userId?: string) =>
    limits.withPermit('acme', { items: 1, bytes: 0, userId }, undefined, () => {
      running.push(userId ?? 'key');
      return end;
    });
  const calls = Array.from({ length: 100 }, () => start('eve'));
  await turn();
  calls.push(start('ada'), start());
  await turn();
  expect(running.toSorted()).toEqual(['ada', 'eve', 'eve', 'key']);
  resolve();
  await Promise.all(calls);
  expect(running).toHaveLength(102);
});

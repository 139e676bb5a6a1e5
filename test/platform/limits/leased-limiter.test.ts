import { RateLimiterMemory } from 'rate-limiter-flexible';
import { beforeEach, describe, expect, it } from 'vitest';
import { LeasedLimiter } from '../../../src/platform/limits/leased-limiter.ts';

const POINTS = 100;

let asked: number;
let counters: RateLimiterMemory;
beforeEach(() => {
  asked = 0;
  counters = new RateLimiterMemory({ points: POINTS, duration: 600 });
  const consume = counters.consume.bind(counters);
  counters.consume = (...args) => {
    asked++;
    return consume(...args);
  };
});

const own = () => new RateLimiterMemory({ points: POINTS, duration: 600 });
const leased = () => new LeasedLimiter(counters, own());

/** How many of so many calls are let through, one after the other or all at once. */
async function passed(limiter: LeasedLimiter, calls: number, name = 'acme'): Promise<number> {
  const results = await Promise.allSettled(
    Array.from({ length: calls }, () => limiter.consume(name)),
  );
  return results.filter(({ status }) => status === 'fulfilled').length;
}

describe('leases of a shared rate limit', () => {
  it('admit exactly as many calls as the counter allows', async () => {
    const limiter = leased();
    expect(await passed(limiter, POINTS + 20)).toBe(POINTS);
    expect(await passed(limiter, 5)).toBe(0);
    expect(await passed(limiter, POINTS, 'umbrella')).toBe(POINTS);
  });

  it('admit no more for several processes together, and no fewer', async () => {
    const processes = [1, 2, 3].map(() => leased());
    const counts = await Promise.all(processes.map((limiter) => passed(limiter, POINTS)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(POINTS);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it('ask the counter much less than once for each call', async () => {
    await passed(leased(), POINTS);
    expect(asked).toBeLessThan(POINTS / 5);
  });

  it('do not ask the counter again once the window is used up', async () => {
    const limiter = leased();
    await passed(limiter, POINTS + 1);
    const before = asked;
    expect(await passed(limiter, 10)).toBe(0);
    expect(asked).toBe(before);
  });

  it('lease a single call for a name that is used once', async () => {
    await passed(leased(), 1);
    expect(await passed(leased(), POINTS)).toBe(POINTS - 1);
  });

  it('refuse with the time until calls are allowed again', async () => {
    const limiter = leased();
    await passed(limiter, POINTS);
    await expect(limiter.consume('acme')).rejects.toMatchObject({
      msBeforeNext: expect.any(Number),
    });
  });

  it('give way to counters of the process while the shared counter does not answer', async () => {
    const { promise: never } = Promise.withResolvers<never>();
    let fail = (_error: Error) => {};
    counters.consume = () => {
      asked++;
      return Promise.race([never, new Promise<never>((_, reject) => (fail = reject))]);
    };
    const limiter = leased();
    const all = passed(limiter, POINTS + 20);
    fail(new Error('Command timed out'));
    expect(await all).toBe(POINTS);
    expect(await passed(limiter, 1, 'umbrella')).toBe(1);
    expect(asked).toBe(1);
  });
});

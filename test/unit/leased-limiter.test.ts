import { RateLimiterMemory } from 'rate-limiter-flexible';
import { beforeEach, describe, expect, it } from 'vitest';
import { LeasedLimiter } from '../../src/api/limits/leased-limiter.ts';

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

/** How many of so many calls are let through, one after the other or all at once. */
async function passed(limiter: LeasedLimiter, calls: number, name = 'acme'): Promise<number> {
  const results = await Promise.allSettled(
    Array.from({ length: calls }, () => limiter.consume(name)),
  );
  return results.filter(({ status }) => status === 'fulfilled').length;
}

describe('leases of a shared rate limit', () => {
  it('admit exactly as many calls as the counter allows', async () => {
    const limiter = new LeasedLimiter(counters, POINTS);
    expect(await passed(limiter, POINTS + 20)).toBe(POINTS);
    expect(await passed(limiter, 5)).toBe(0);
    expect(await passed(limiter, POINTS, 'umbrella')).toBe(POINTS);
  });

  it('admit no more for several processes together, and no fewer', async () => {
    const processes = [1, 2, 3].map(() => new LeasedLimiter(counters, POINTS));
    const counts = await Promise.all(processes.map((limiter) => passed(limiter, POINTS)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(POINTS);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it('ask the counter much less than once for each call', async () => {
    await passed(new LeasedLimiter(counters, POINTS), POINTS);
    expect(asked).toBeLessThan(POINTS / 5);
  });

  it('lease a single call for a name that is used once', async () => {
    await passed(new LeasedLimiter(counters, POINTS), 1);
    expect(await passed(new LeasedLimiter(counters, POINTS), POINTS)).toBe(POINTS - 1);
  });

  it('refuse with the time until calls are allowed again', async () => {
    const limiter = new LeasedLimiter(counters, POINTS);
    await passed(limiter, POINTS);
    await expect(limiter.consume('acme')).rejects.toMatchObject({
      msBeforeNext: expect.any(Number),
    });
  });
});

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyedBuckets, TokenBucket } from '../../../src/platform/limits/token-bucket.ts';

const TEN = { perSecond: 10, burst: 10 };

describe('a token bucket', () => {
  it('holds its burst, and fills at its rate', () => {
    const bucket = new TokenBucket(TEN, undefined, 0);
    const spent = (now: number) => {
      let count = 0;
      while (bucket.waitMs(1, now) === 0 && bucket.spend(1, now)) count += 1;
      return count;
    };
    expect(spent(0)).toBe(10);
    expect(spent(0)).toBe(0);
    expect(bucket.waitMs(1, 0)).toBe(100);
    expect(spent(500)).toBe(5);
    expect(spent(100_000)).toBe(10);
    // A clock that was set back adds no tokens.
    expect(spent(50_000)).toBe(0);
    expect(spent(100_000)).toBe(0);
  });

  it('continues from the state of another process, and takes a rate that it gets later', () => {
    const first = new TokenBucket({ perSecond: 0, burst: Number.POSITIVE_INFINITY }, undefined, 0);
    first.rate = TEN;
    first.spend(10, 1_000);
    const { tokens, at } = first.snapshot;
    const second = new TokenBucket(TEN, tokens, at);
    for (const bucket of [first, second]) expect(bucket.waitMs(1, 1_000)).toBe(100);
    expect(second.waitMs(1, 1_100)).toBe(0);
  });
});

describe('buckets by name', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('save up a burst, lend once, and are available again after repayment', () => {
    const buckets = new KeyedBuckets({ perSecond: 5, burst: 50 });
    buckets.spend('acme', 50);
    expect(buckets.waitMs('acme')).toBe(0);
    buckets.spend('acme', 500);
    expect(buckets.waitMs('acme')).toBe(100_000);
    expect(buckets.waitMs('umbrella')).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(buckets.waitMs('acme')).toBe(40_000);
    vi.advanceTimersByTime(40_000);
    expect(buckets.waitMs('acme')).toBe(0);
    buckets.spend('acme', 1);
    expect(buckets.waitMs('acme')).toBeGreaterThan(0);
  });

  it('remember debts, however many others spend', () => {
    const buckets = new KeyedBuckets({ perSecond: 1, burst: 10 });
    buckets.spend('acme', 1_000_000);
    for (let name = 0; name < 30_000; name++) {
      vi.advanceTimersByTime(1_000);
      buckets.spend(String(name), 1);
    }
    expect(buckets.waitMs('acme')).toBe((1_000_000 - 30_000 - 10) * 1_000);
  });
});

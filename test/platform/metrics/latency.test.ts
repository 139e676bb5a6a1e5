import { describe, expect, it } from 'vitest';
import { LATENCY_SECONDS, quantileMs } from '../../../src/platform/metrics/latency.ts';

/** Counts of requests by bucket. */
function counted(...seconds: number[]): number[] {
  const bucketOf = (each: number) => LATENCY_SECONDS.findIndex((bound) => each <= bound);
  const slower = LATENCY_SECONDS.length;
  const buckets = seconds.map((each) => (bucketOf(each) === -1 ? slower : bucketOf(each)));
  return Array.from(
    { length: slower + 1 },
    (_, at) => buckets.filter((each) => each === at).length,
  );
}

describe('quantiles of latencies', () => {
  it('lie in the bucket of the request at that rank', () => {
    const latency = counted(...Array<number>(98).fill(0.004), 0.3, 4);
    expect(quantileMs(latency, 0.5)).toBeGreaterThan(2.5);
    expect(quantileMs(latency, 0.5)).toBeLessThan(5);
    expect(quantileMs(latency, 0.99)).toBeGreaterThan(250);
    expect(quantileMs(latency, 0.99)).toBeLessThanOrEqual(500);
    expect(quantileMs(latency, 1)).toBe(5_000);
  });

  it('are at most the last bound, and null without requests', () => {
    expect(quantileMs(counted(60), 0.5)).toBe(10_000);
    expect(quantileMs(counted(), 0.5)).toBeNull();
  });
});

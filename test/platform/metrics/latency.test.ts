import { expect, it } from 'vitest';
import { LATENCY_SECONDS, quantileMs } from '../../../src/platform/metrics/latency.ts';

/** Counts of requests by bucket. */
function counted(...seconds: number[]): number[] {
  const counts = Array<number>(LATENCY_SECONDS.length + 1).fill(0);
  for (const each of seconds) {
    const bucket = LATENCY_SECONDS.filter((bound) => bound < each).length;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
}

it('a quantile of latencies lies in the bucket of the request at that rank, and is at most the last bound', () => {
  const latency = counted(...Array<number>(98).fill(0.004), 0.3, 4);
  expect(quantileMs(latency, 0.5)).toBeGreaterThan(2.5);
  expect(quantileMs(latency, 0.5)).toBeLessThan(5);
  expect(quantileMs(latency, 0.99)).toBeGreaterThan(250);
  expect(quantileMs(latency, 0.99)).toBeLessThanOrEqual(500);
  expect(quantileMs(latency, 1)).toBe(5_000);
  expect(quantileMs(counted(60), 0.5)).toBe(10_000);
});

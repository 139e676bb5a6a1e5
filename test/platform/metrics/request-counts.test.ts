import { describe, expect, it } from 'vitest';
import { quantileMs, RequestCounts } from '../../../src/platform/metrics/request-counts.ts';

function counted(...seconds: number[]): RequestCounts {
  const counts = new RequestCounts();
  for (const each of seconds) counts.add(200, each);
  return counts;
}

it('request counts count failures of ours as errors, and those of callers as requests only', () => {
  const counts = new RequestCounts();
  for (const status of [200, 400, 429, 500, 503]) counts.add(status, 0.01);
  expect(counts).toMatchObject({ requests: 5, errors: 2 });
});

describe('quantiles of latencies', () => {
  it('lie in the bucket of the request at that rank', () => {
    const { latency } = counted(...Array<number>(98).fill(0.004), 0.3, 4);
    expect(quantileMs(latency, 0.5)).toBeGreaterThan(2.5);
    expect(quantileMs(latency, 0.5)).toBeLessThan(5);
    expect(quantileMs(latency, 0.99)).toBeGreaterThan(250);
    expect(quantileMs(latency, 0.99)).toBeLessThanOrEqual(500);
    expect(quantileMs(latency, 1)).toBe(5_000);
  });

  it('are at most the last bound, and null without requests', () => {
    expect(quantileMs(counted(60).latency, 0.5)).toBe(10_000);
    expect(quantileMs(counted().latency, 0.5)).toBeNull();
  });
});

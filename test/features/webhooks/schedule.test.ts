import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../../src/features/webhooks/engine/outcome.ts';
import { readRetryAfter } from '../../../src/platform/outbound/retry-after.ts';

const MINUTE = 60_000;

describe('the schedule of retries', () => {
  it('has a jitter of a fifth, and honours Retry-After between one and two steps', () => {
    const delays = [0, 0.5, 1].map((random) => retryDelayMs(1, undefined, random));
    expect(delays).toEqual([4_000, 5_000, 6_000]);
    expect(retryDelayMs(1, 1_000, 0.5)).toBe(5_000);
    expect(retryDelayMs(1, 7_000, 0.5)).toBe(7_000);
    expect(retryDelayMs(1, 3_600_000, 0.5)).toBe(10_000);
    expect(retryDelayMs(2, 6 * MINUTE, 0.5)).toBe(6 * MINUTE);
  });

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Tue, 05 Jan 2027 09:02:00 GMT', 120_000],
    ['Tue, 05 Jan 2027 08:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    [undefined, undefined],
  ])('reads Retry-After: %s', (header, expected) => {
    expect(readRetryAfter(header, Date.UTC(2027, 0, 5, 9))).toBe(expected);
  });
});

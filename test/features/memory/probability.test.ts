import { describe, expect, it } from 'vitest';
import { approvalOf } from '../../../src/features/memory/suggest/probability.ts';

describe('the confidence of few judgments', () => {
  it.each([
    [2, 0.89],
    [4, 0.93],
    [40, 0.98],
  ])('of %d is at most %d, however clear their score is', (count, most) => {
    expect(approvalOf(9, count)).toBeLessThan(most);
    expect(approvalOf(9, count)).toBeGreaterThan(most - 0.02);
    expect(approvalOf(-9, count)).toBeGreaterThan(1 - most);
  });

  it('is even without any', () => {
    expect(approvalOf(9, 0)).toBe(0.5);
  });
});

import { describe, expect, it } from 'vitest';
import { predict } from '../../../src/features/memory/suggest/gaussian-process.ts';
import { approvalOf } from '../../../src/features/memory/suggest/suggest-decision.ts';

it('the prediction from one observation is its value, reduced by noise', () => {
  const covariance = [
    [2, 1],
    [1, 2],
  ];
  const { mean, variance } = predict(covariance, [1], [0.5]);
  expect(mean).toBeCloseTo(1 / 2.5);
  expect(variance).toBeCloseTo(2 - 1 / 2.5);
});

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

  it('is one half without any', () => {
    expect(approvalOf(9, 0)).toBe(0.5);
  });
});

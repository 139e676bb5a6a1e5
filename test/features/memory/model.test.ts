import { describe, expect, it } from 'vitest';
import { predict } from '../../../src/features/memory/suggest/gaussian-process.ts';
import { approvalOf } from '../../../src/features/memory/suggest/judge.ts';

it('the prediction from none is unsure, and that from one observation is its value, reduced by noise', () => {
  const covariance = [
    [2, 1],
    [1, 2],
  ];
  const [none, one] = predict(covariance, [1], [0.5]);
  expect(none).toEqual({ mean: 0, variance: 2, evidence: 0 });
  expect(one?.mean).toBeCloseTo(1 / 2.5);
  expect(one?.variance).toBeCloseTo(2 - 1 / 2.5);
});

describe('the confidence of few judgments', () => {
  it.each([
    [2, 0.84],
    [4, 0.91],
    [40, 0.99],
  ])('of %d is at most %d, however clear their score is', (count, most) => {
    expect(approvalOf(9, count)).toBeLessThan(most);
    expect(approvalOf(9, count)).toBeGreaterThan(most - 0.02);
    expect(approvalOf(-9, count)).toBeGreaterThan(1 - most);
  });

  it('is one half without any', () => {
    expect(approvalOf(9, 0)).toBe(0.5);
  });
});

import { describe, expect, it } from 'vitest';
import { predict } from '../../../src/features/memory/suggest/gaussian-process.ts';
import { approvalOf } from '../../../src/features/memory/suggest/suggest-decision.ts';

const noise = (n: number) => Array.from({ length: n }, () => 0.5);

describe('the prediction', () => {
  it('of one observation is its value, less what noise takes', () => {
    const { mean, variance } = predict(
      [
        [2, 1],
        [1, 2],
      ],
      [1],
      noise(1),
    );
    expect(mean).toBeCloseTo(1 / 2.5);
    expect(variance).toBeCloseTo(2 - 1 / 2.5);
  });

  it('is the sum of the observations by their shares', () => {
    const covariance = [
      [2, 0.5, 1],
      [0.5, 2, 0.2],
      [1, 0.2, 2],
    ];
    const { mean, shares } = predict(covariance, [1, -1], noise(2));
    expect(mean).toBeCloseTo((shares[0] ?? 0) - (shares[1] ?? 0));
    expect(shares[0]).toBeGreaterThan(shares[1] ?? 0);
  });

  it('is nothing without observations', () => {
    expect(predict([[2]], [], [])).toMatchObject({ variance: 2, shares: [] });
    expect(predict([[2]], [], []).mean).toBeCloseTo(0);
  });

  it('explains agreement among like items better than contradiction', () => {
    const covariance = Array.from({ length: 3 }, () => [2, 2, 2]);
    const explained = (a: number, b: number) => predict(covariance, [a, b], noise(2)).evidence;
    expect(explained(1, 1)).toBeGreaterThan(explained(1, -1));
  });
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

  it('is even without any', () => {
    expect(approvalOf(9, 0)).toBe(0.5);
  });
});

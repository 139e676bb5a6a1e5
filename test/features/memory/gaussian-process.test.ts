import { describe, expect, it } from 'vitest';
import { predict } from '../../../src/features/memory/suggest/gaussian-process.ts';

const noise = (n: number) => new Float64Array(n).fill(0.5);

describe('the prediction', () => {
  it('of one observation is its value, less what noise takes', () => {
    const { mean, variance } = predict(Float64Array.of(2, 1, 1, 2), Float64Array.of(1), noise(1));
    expect(mean).toBeCloseTo(1 / 2.5);
    expect(variance).toBeCloseTo(2 - 1 / 2.5);
  });

  it('is the sum of the observations by their shares', () => {
    const covariance = Float64Array.of(2, 0.5, 1, 0.5, 2, 0.2, 1, 0.2, 2);
    const { mean, shares } = predict(covariance, Float64Array.of(1, -1), noise(2));
    expect(mean).toBeCloseTo((shares[0] ?? 0) - (shares[1] ?? 0));
    expect(shares[0]).toBeGreaterThan(shares[1] ?? 0);
  });

  it('is nothing without observations', () => {
    expect(predict(Float64Array.of(2), new Float64Array(0), noise(0))).toMatchObject({
      mean: 0,
      variance: 2,
    });
  });

  it('explains agreement among like items better than contradiction', () => {
    const covariance = new Float64Array(9).fill(2);
    const explained = (a: number, b: number) =>
      predict(covariance, Float64Array.of(a, b), noise(2)).evidence;
    expect(explained(1, 1)).toBeGreaterThan(explained(1, -1));
  });
});

/** The prediction of a Gaussian process for an item. */
export interface Prediction {
  mean: number;
  variance: number;
  /** The logarithm of the probability of the values, less a constant. */
  evidence: number;
}

/**
 * Predicts an item from none of the observations, from the first, from the first two, and so on, by Gaussian
 * process regression (Rasmussen and Williams 2006, algorithm 2.1).
 *
 * @param covariance the covariances of n observed items and, in the last row, of the item to predict
 * @param values the values of the n observations
 * @param noise the variance of each observation
 */
export function predict(covariance: number[][], values: number[], noise: number[]): Prediction[] {
  // The Cholesky factor of the observations' covariance matrix, row by row.
  const lower: number[][] = [];
  for (const [n, variance] of noise.entries()) {
    const row = solve(lower, covariance[n] ?? []);
    const remaining = at(covariance[n], n) + variance - product(row, row);
    lower.push([...row, Math.sqrt(Math.max(remaining, Number.EPSILON))]);
  }
  const asked = covariance.at(-1) ?? [];
  const weights = solve(lower, asked);
  const observed = solve(lower, values);
  let last: Prediction = { mean: 0, variance: at(asked, -1), evidence: 0 };
  const predictions = [last];
  for (const [n, row] of lower.entries()) {
    last = {
      mean: last.mean + at(weights, n) * at(observed, n),
      variance: Math.max(0, last.variance - at(weights, n) ** 2),
      evidence: last.evidence - Math.log(at(row, -1)) - at(observed, n) ** 2 / 2,
    };
    predictions.push(last);
  }
  return predictions;
}

const at = (values: number[] | undefined, index: number): number => values?.at(index) ?? 0;

function product(a: number[], b: number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Solves L · x = values. */
function solve(lower: number[][], values: number[]): number[] {
  const x: number[] = [];
  for (const [i, row] of lower.entries()) x.push((at(values, i) - product(x, row)) / at(row, i));
  return x;
}

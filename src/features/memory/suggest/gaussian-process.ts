/** Gaussian process regression (Rasmussen and Williams 2006, algorithm 2.1). */
export interface Prediction {
  mean: number;
  variance: number;
  /** How much each observation adds to the mean: mean = Σ shares · values. */
  shares: number[];
  /** The logarithm of the probability of the values, less a constant. */
  evidence: number;
}

/**
 * @param covariance of n observed items and, in the last row, the one in question
 * @param values of the n observations
 * @param noise the variance of each observation
 */
export function predict(covariance: number[][], values: number[], noise: number[]): Prediction {
  // The Cholesky factor of the covariance of the observations, row by row.
  const lower: number[][] = [];
  for (const [n, variance] of noise.entries()) {
    const row = solve(lower, covariance[n] ?? []);
    const left = subtractProduct(at(covariance[n], n) + variance, row, row);
    lower.push([...row, Math.sqrt(Math.max(left, Number.EPSILON))]);
  }
  const asked = covariance.at(-1) ?? [];
  const [weights, observed] = [solve(lower, asked), solve(lower, values)];
  const deviations = lower.map((row) => at(row, -1));
  return {
    mean: -subtractProduct(0, weights, observed),
    variance: Math.max(0, subtractProduct(at(asked, -1), weights, weights)),
    shares: solveTransposed(lower, weights),
    evidence: deviations.reduce(
      (sum, deviation) => sum - Math.log(deviation),
      subtractProduct(0, observed, observed) / 2,
    ),
  };
}

const at = (values: number[] | undefined, index: number): number => values?.at(index) ?? 0;

/** Returns `start` less the scalar product of `a` and `b`. */
function subtractProduct(start: number, a: number[], b: number[]): number {
  let left = start;
  for (let i = 0; i < a.length; i++) left -= (a[i] ?? 0) * (b[i] ?? 0);
  return left;
}

/** Solves L · x = values. */
function solve(lower: number[][], values: number[]): number[] {
  const x: number[] = [];
  for (const [i, row] of lower.entries())
    x.push(subtractProduct(at(values, i), x, row) / at(row, i));
  return x;
}

/** Solves Lᵀ · x = values. */
function solveTransposed(lower: number[][], values: number[]): number[] {
  const x = [...values];
  for (let i = x.length - 1; i >= 0; i--) {
    let sum = at(x, i);
    for (let k = i + 1; k < x.length; k++) sum -= at(lower[k], i) * at(x, k);
    x[i] = sum / at(lower[i], i);
  }
  return x;
}

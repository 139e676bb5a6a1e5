/**
 * Gaussian process regression (Rasmussen and Williams 2006, algorithm 2.1). Matrices are square, row
 * by row.
 */
export interface Prediction {
  mean: number;
  variance: number;
  /** How much each observation adds to the mean: mean = Σ shares · values. */
  shares: Float64Array;
  /** The logarithm of the probability of the values, less a constant. */
  evidence: number;
}

/**
 * @param covariance of n observed items and, in the last row, the one in question
 * @param values of the n observations
 * @param noise the variance of each observation
 */
export function predict(
  covariance: Float64Array,
  values: Float64Array,
  noise: Float64Array,
): Prediction {
  const n = values.length;
  const size = n + 1;
  const lower = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) lower[i * n + j] = at(covariance, i * size + j);
    lower[i * n + i] = at(lower, i * n + i) + at(noise, i);
  }
  factorise(lower, n);
  const asked = covariance.slice(n * size, n * size + n);
  const dual = solve(lower, values);
  const shares = solve(lower, asked);
  let evidence = -0.5 * dot(values, dual);
  for (let i = 0; i < n; i++) evidence -= Math.log(at(lower, i * n + i));
  return {
    mean: dot(asked, dual),
    variance: Math.max(0, at(covariance, n * size + n) - dot(asked, shares)),
    shares,
    evidence,
  };
}

const at = (values: Float64Array, index: number): number => values[index] ?? 0;

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += at(a, i) * at(b, i);
  return sum;
}

/** Replaces the lower half of a positive definite matrix by its Cholesky factor. */
function factorise(matrix: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = at(matrix, i * n + j);
      for (let k = 0; k < j; k++) sum -= at(matrix, i * n + k) * at(matrix, j * n + k);
      matrix[i * n + j] =
        i === j ? Math.sqrt(Math.max(sum, Number.EPSILON)) : sum / at(matrix, j * n + j);
    }
  }
}

/** Solves L · Lᵀ · x = values. */
function solve(lower: Float64Array, values: Float64Array): Float64Array {
  const n = values.length;
  const x = values.slice();
  for (let i = 0; i < n; i++) {
    let sum = at(x, i);
    for (let k = 0; k < i; k++) sum -= at(lower, i * n + k) * at(x, k);
    x[i] = sum / at(lower, i * n + i);
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = at(x, i);
    for (let k = i + 1; k < n; k++) sum -= at(lower, k * n + i) * at(x, k);
    x[i] = sum / at(lower, i * n + i);
  }
  return x;
}

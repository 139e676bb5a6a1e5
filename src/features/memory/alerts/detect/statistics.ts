/** Statistical tests. Each returns the probability of the observation if nothing had changed. */

/** Logarithm of n! (Stirling's series; exact enough from 10 on, summed below). */
function logFactorial(n: number): number {
  if (n < 10) {
    let sum = 0;
    for (let factor = 2; factor <= n; factor++) sum += Math.log(factor);
    return sum;
  }
  return (
    n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + 1 / (12 * n) - 1 / (360 * n * n * n)
  );
}

const logChoose = (n: number, k: number): number =>
  logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/**
 * Fisher's exact test, two-sided: whether `hits` of `all` and `otherHits` of `otherAll` may have
 * the same rate. It sums the probabilities of all tables that are no more probable than this one.
 */
export function fisherExact(hits: number, all: number, otherHits: number, otherAll: number) {
  const total = hits + otherHits;
  const whole = logChoose(all + otherAll, total);
  const logProbability = (h: number) => logChoose(all, h) + logChoose(otherAll, total - h) - whole;
  const seen = logProbability(hits);
  let sum = 0;
  for (let h = Math.max(0, total - otherAll); h <= Math.min(all, total); h++) {
    const log = logProbability(h);
    if (log <= seen + 1e-9) sum += Math.exp(log);
  }
  return Math.min(1, sum);
}

/** The probability of `least` or more successes in `n` trials of the given probability. */
export function binomialTail(least: number, n: number, probability: number): number {
  let sum = 0;
  for (let k = least; k <= n; k++) {
    sum += Math.exp(
      logChoose(n, k) + k * Math.log(probability) + (n - k) * Math.log(1 - probability),
    );
  }
  return Math.min(1, sum);
}

/**
 * Probability of a standard normal value beyond z on either side (Abramowitz and Stegun 7.1.26).
 */
export function normalTails(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return series * Math.exp(-x * x);
}

/**
 * Probability of a Student t value beyond t on either side. With whole degrees of freedom the
 * integral is a finite sum.
 */
export function studentTails(t: number, freedom: number): number {
  const theta = Math.atan(Math.abs(t) / Math.sqrt(freedom));
  const [sin, cos] = [Math.sin(theta), Math.cos(theta)];
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cos : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k < freedom - 1; k += 2) {
    term *= ((k - 1) / k) * cos * cos;
    sum += term;
  }
  const within = isOdd ? (2 / Math.PI) * (theta + sin * sum) : sin * sum;
  return Math.max(0, Math.min(1, 1 - within));
}

export const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);

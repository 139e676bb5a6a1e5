// Statistical tests. Each returns the probability of the observation if nothing had changed.

export interface Tally {
  approved: number;
  decided: number;
}

/**
 * Tests whether two rates may be the same, by the normal distribution. Two approvals and two
 * rejections are added to each rate, as Agresti and Coull (1998) do for one, so that the test also
 * holds for few judgments.
 *
 * @param usualDifference the largest difference between the rates that proves nothing
 * @param dispersion the variance of the counts, divided by that of independent judgments
 */
export function compareRates(
  one: Tally,
  other: Tally,
  { usualDifference = 0, dispersion = 1 } = {},
): number {
  const a = estimateOf(one);
  const b = estimateOf(other);
  const beyond = Math.max(0, Math.abs(a.rate - b.rate) - usualDifference);
  return normalTails(beyond / Math.sqrt(dispersion * (a.variance + b.variance)));
}

function estimateOf({ approved, decided }: Tally) {
  const rate = (approved + 2) / (decided + 4);
  return { rate, variance: (rate * (1 - rate)) / (decided + 4) };
}

/** Returns the probability of `minSuccesses` or more successes in `n` trials of the given probability. */
export function binomialTail(minSuccesses: number, n: number, probability: number): number {
  let log = n * Math.log(1 - probability);
  let sum = minSuccesses === 0 ? Math.exp(log) : 0;
  for (let k = 1; k <= n; k++) {
    log += Math.log(((n - k + 1) / k) * (probability / (1 - probability)));
    if (k >= minSuccesses) sum += Math.exp(log);
  }
  return Math.min(1, sum);
}

/** Returns the probability of a normal value beyond z on either side (Abramowitz and Stegun 7.1.26). */
export function normalTails(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return series * Math.exp(-x * x);
}

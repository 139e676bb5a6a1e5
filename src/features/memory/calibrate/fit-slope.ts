import { probabilityOf, USUAL_SLOPE } from '../suggest/probability.ts';

/** A judgment with the score that all others give it. */
export interface Example {
  score: number;
  approved: boolean;
}

/** Slopes from an eighth of the usual one to seven times it, in steps of a tenth. */
const STEPS = 20;
const STEP = 0.1;
/** How far the slopes of tenants are apart, as the standard deviation of their logarithms. */
const SPREAD = 0.3;
/** The rate at which people decide against their rules; else slips were taken for doubts about them. */
const SLIPS = 0.1;

/**
 * Finds the slope with which scores explain decisions best. It stays near the usual one while there
 * are few examples.
 *
 * @param examples of one tenant, in any order
 */
export function fitSlope(examples: Example[]): number {
  let best = { slope: USUAL_SLOPE, fit: Number.NEGATIVE_INFINITY };
  for (let step = -STEPS; step <= STEPS; step++) {
    const slope = USUAL_SLOPE * Math.exp(step * STEP);
    const fit = likelihood(examples, slope) - ((step * STEP) / SPREAD) ** 2 / 2;
    if (fit > best.fit) best = { slope, fit };
  }
  return best.slope;
}

function likelihood(examples: Example[], slope: number): number {
  let sum = 0;
  for (const { score, approved } of examples) {
    sum += Math.log(probabilityOf(approved ? score : -score, slope, SLIPS));
  }
  return sum;
}

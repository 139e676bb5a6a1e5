import { probabilityOf, type Scored, USUAL_SLOPE } from '../suggest/probability.ts';

/** A judgment with the score that all others give it. */
export interface Example extends Scored {
  approved: boolean;
}

/** Slopes from an eighth of the usual one to seven times it are tried, in steps of a tenth. */
const MAX_STEPS = 20;
const STEP = 0.1;
/** How far the slopes of tenants are apart, as the standard deviation of their logarithms. */
const SPREAD = 0.3;
/** The rate at which people decide against their rules; else slips were taken for doubts about them. */
const SLIP_RATE = 0.1;

/**
 * Finds the slope with which scores explain decisions best. It stays near the usual one while there
 * are few examples.
 *
 * @param examples of one tenant, in any order
 */
export function fitSlope(examples: Example[]): number {
  let best = { slope: USUAL_SLOPE, fit: Number.NEGATIVE_INFINITY };
  for (let step = -MAX_STEPS; step <= MAX_STEPS; step++) {
    const slope = USUAL_SLOPE * Math.exp(step * STEP);
    let fit = -(((step * STEP) / SPREAD) ** 2) / 2;
    for (const { approved, score, count } of examples) {
      fit += Math.log(probabilityOf({ score: approved ? score : -score, count }, slope, SLIP_RATE));
    }
    if (fit > best.fit) best = { slope, fit };
  }
  return best.slope;
}

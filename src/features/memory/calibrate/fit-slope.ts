import { USUAL_SLOPE, withMistakes } from '../suggest/probability.ts';

/** A judgment with the score that all others give it. */
export interface Example {
  score: number;
  approved: boolean;
}

/** Slopes from a third of the usual one to three times it, in steps of a twentieth. */
const STEPS = 22;
const STEP = 0.05;
/** How far the slopes of tenants are apart, as the standard deviation of their logarithms. */
const SPREAD = 0.3;
/** The rates of mistaken decisions that are tried, and what is thought of them beforehand. */
const MISTAKES = [0.02, 0.04, 0.06, 0.08, 0.1, 0.13, 0.16, 0.2, 0.25];
const USUAL_MISTAKES = 0.08;
const MISTAKES_SPREAD = 0.06;

/**
 * Finds the slope with which scores explain decisions best. It stays near the usual slope while
 * there are few examples. People decide against the rule at some rate, which is estimated as well:
 * otherwise their mistakes would be taken for doubts about the rule.
 *
 * @param examples of one tenant, in any order
 */
export function fitSlope(examples: Example[]): number {
  let best = { slope: USUAL_SLOPE, fit: Number.NEGATIVE_INFINITY };
  for (let step = -STEPS; step <= STEPS; step++) {
    const slope = USUAL_SLOPE * Math.exp(step * STEP);
    for (const mistakes of MISTAKES) {
      const unusual =
        ((step * STEP) / SPREAD) ** 2 + ((mistakes - USUAL_MISTAKES) / MISTAKES_SPREAD) ** 2;
      const fit = likelihood(examples, slope, mistakes) - unusual / 2;
      if (fit > best.fit) best = { slope, fit };
    }
  }
  return best.slope;
}

function likelihood(examples: Example[], slope: number, mistakes: number): number {
  let sum = 0;
  for (const { score, approved } of examples) {
    const approval = withMistakes(score, slope, mistakes);
    sum += Math.log(approved ? approval : 1 - approval);
  }
  return sum;
}

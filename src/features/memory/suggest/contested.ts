import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { expectedByOthers } from './gaussian-process.ts';

/** The share of the decisions' variance that others must explain, or else few are contested. */
const LEAST_EXPLAINED = 0.15;
/** Judgments of another time or place are left out, which have less than this in common. */
const SAME_RULE = 0.3;
/** The fewest pairs of judgments by one reviewer from which their habits are told. */
const LEAST_PAIRS = 3;
/** How much the habits of reviewers say of a dispute, against what is explained without them. */
const HABITS = 0.4;
const EXPLAINED = 2;
const CONTESTED = 0.5;

interface Decided {
  found: SimilarJudgment[];
  /** 1 for approvals and -1 for rejections, with their variances. */
  values: Float64Array;
  noise: Float64Array;
  /** By time and place, and together with the likeness of the texts; the last row is the question. */
  covariance: Float64Array;
  together: Float64Array;
}

/** A decision that differs from what all others say about its item. */
interface Deviation {
  reviewerId: string | null;
  difference: number;
  /** How much it counts: less for texts that are less similar to the question. */
  weight: number;
}

/**
 * Whether people decide differently about the same. Others' decisions explain each one badly, and
 * the same reviewers deviate in the same direction again and again: slips, and details that nobody
 * understood yet, are spread over all reviewers.
 */
export function isContested(decided: Decided): boolean {
  if (new Set(decided.values).size < 2) return false;
  const deviations = deviationsOf(decided);
  const squares = deviations.reduce((sum, { difference }) => sum + difference ** 2, 0);
  const explained = 1 - squares / Math.max(1, deviations.length);
  const habits = habitsOf(deviations);
  if (habits === undefined) return explained < LEAST_EXPLAINED;
  return HABITS * habits - EXPLAINED * explained > CONTESTED;
}

function deviationsOf({ found, values, noise, covariance, together }: Decided): Deviation[] {
  const expected = expectedByOthers(together, values, noise);
  const asked = covariance.subarray(covariance.length - found.length - 1);
  const least = Math.min(...noise);
  return found.flatMap(({ reviewerId }, index) => {
    if ((asked[index] ?? 0) < SAME_RULE) return [];
    const difference = (values[index] ?? 0) - Math.max(-1, Math.min(1, expected[index] ?? 0));
    return [{ reviewerId, difference, weight: least / (noise[index] ?? 1) }];
  });
}

/**
 * How far each reviewer's deviations agree with one another, in standard deviations from chance.
 * Undefined if too few reviewers decided twice.
 */
function habitsOf(deviations: Deviation[]): number | undefined {
  let [pairs, sum, squares] = [0, 0, 0];
  for (const [index, one] of deviations.entries()) {
    for (const other of deviations.slice(0, index)) {
      if (one.reviewerId === null || one.reviewerId !== other.reviewerId) continue;
      const product = one.difference * other.difference * one.weight * other.weight;
      pairs += 1;
      sum += product;
      squares += product ** 2;
    }
  }
  return pairs < LEAST_PAIRS ? undefined : sum / Math.sqrt(squares || 1);
}

import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { expectedByOthers } from './gaussian-process.ts';

/** Judgments have at least so much in common with the question if their time and place have its rule. */
const SAME_RULE = 0.3;
/** The fewest decisions of each side by that rule. Else it is settled, whatever was disputed before. */
const LEAST_SIDE = 2;
/** The fewest pairs of judgments by one reviewer from which their habits are told. */
const LEAST_PAIRS = 3;
/** How much of the decisions' variance others must explain, beside the habits of reviewers. */
const EXPLAINED = 4;
const CONTESTED = 1.6;

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
  if (isSettled(decided)) return false;
  const deviations = deviationsOf(decided);
  const squares = deviations.reduce((sum, { difference }) => sum + difference ** 2, 0);
  const explained = 1 - squares / Math.max(1, deviations.length);
  return (
    explained < explainedByChance(deviations.length) ||
    habitsOf(deviations) - EXPLAINED * explained > CONTESTED
  );
}

/** Of n decisions that are split evenly, all others lean against each one by 1 / (n - 1). */
const explainedByChance = (decisions: number): number => -2 / (decisions - 1);

function isSettled({ values, covariance }: Decided): boolean {
  const asked = covariance.subarray(covariance.length - values.length - 1);
  const present = values.filter((_, index) => (asked[index] ?? 0) >= SAME_RULE);
  const approvals = present.filter((value) => value > 0).length;
  return Math.min(approvals, present.length - approvals) < LEAST_SIDE;
}

function deviationsOf({ found, values, noise, together }: Decided): Deviation[] {
  const expected = expectedByOthers(together, values, noise);
  const least = Math.min(...noise);
  return found.map(({ reviewerId }, index) => ({
    reviewerId,
    difference: (values[index] ?? 0) - Math.max(-1, Math.min(1, expected[index] ?? 0)),
    weight: least / (noise[index] ?? 1),
  }));
}

/**
 * How far each reviewer's deviations agree with one another, in standard deviations from chance.
 * Of too few pairs, nothing is told.
 */
function habitsOf(deviations: Deviation[]): number {
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
  return pairs < LEAST_PAIRS ? 0 : sum / Math.sqrt(squares || 1);
}

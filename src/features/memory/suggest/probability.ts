/**
 * How fast the probability rises with the score, chosen on public texts (docs/decision-memory.md). Slopes
 * fitted to the judgments of each key were no better.
 */
const SLOPE = 4.5;
/** No suggestion is certain, since any rule has exceptions that nobody has met. */
const MIN_PROBABILITY = 0.02;
/** So many judgments halve the distance from a toss: a few that agree may do so by chance. */
const HALF_CONFIDENCE_COUNT = 0.5;

/**
 * How probable it is that an item is to be approved.
 *
 * @param score positive for an approval
 * @param count the number of judgments that the score rests on
 */
export function approvalOf(score: number, count: number): number {
  const approval = MIN_PROBABILITY + (1 - 2 * MIN_PROBABILITY) / (1 + Math.exp(-SLOPE * score));
  return 0.5 + (approval - 0.5) * (count / (count + HALF_CONFIDENCE_COUNT));
}

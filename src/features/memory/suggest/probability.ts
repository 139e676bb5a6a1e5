/** Raised whenever scores change their meaning, so that calibrations to earlier ones do not count. */
export const SCORE_VERSION = 5;

/** The slope of tenants without a calibration of their own, fitted to labelled judgments. */
export const USUAL_SLOPE = 4;
/** No suggestion is certain, since any rule has exceptions that nobody has met. */
const MIN_PROBABILITY = 0.02;

/** What a probability is computed from. */
export interface Scored {
  /** Positive for an approval. */
  score: number;
  /** The number of judgments that the score rests on. */
  count: number;
}

/** So many judgments halve the distance from a toss: a few that agree may do so by chance. */
const HALF_CONFIDENCE_COUNT = 0.5;

/**
 * How probable it is that an item is to be approved.
 *
 * @param slope how clear scores are, learned from the tenant's judgments
 * @param doubt the rate of decisions against the rule
 */
export function probabilityOf({ score, count }: Scored, slope: number, doubt = MIN_PROBABILITY) {
  const approval = doubt + (1 - 2 * doubt) / (1 + Math.exp(-slope * score));
  return 0.5 + (approval - 0.5) * (count / (count + HALF_CONFIDENCE_COUNT));
}

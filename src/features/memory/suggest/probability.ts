/** Raised whenever scores change their meaning, so that calibrations to earlier ones do not count. */
export const SCORE_VERSION = 2;

/**
 * The slope of tenants without a calibration of their own, fitted to labelled judgments
 * (`npm run bench memory`).
 */
export const USUAL_SLOPE = 10;
/** No suggestion is certain, since any rule has exceptions that nobody has met. */
const DOUBT = 0.03;

/**
 * How probable it is that an item with this score is to be approved.
 *
 * @param slope how clear scores are, learned from the tenant's judgments
 */
export const probabilityOf = (score: number, slope: number): number =>
  withMistakes(score, slope, DOUBT);

/** The same, of a decision that is mistaken at this rate. */
export const withMistakes = (score: number, slope: number, mistakes: number): number =>
  mistakes + (1 - 2 * mistakes) / (1 + Math.exp(-slope * score));

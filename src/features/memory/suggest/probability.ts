import type { Evidence } from './weigh.ts';

/**
 * These values turn a share of the weight into a probability. They are fitted to labelled judgments
 * (`npm run bench memory`): broad agreement means more than its share says, but no suggestion is
 * certain, since some decisions are mistakes.
 */
const SLOPE = 1.2;
const MISTAKES = 0.06;

/** How probable it is that the item would be approved. */
export function probabilityOf({ share }: Evidence): number {
  const odds = Math.log(share / (1 - share));
  const agreed = 1 / (1 + Math.exp(-SLOPE * odds));
  return MISTAKES + (1 - 2 * MISTAKES) * agreed;
}

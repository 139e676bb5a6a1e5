import type { Evidence } from './weigh.ts';

/**
 * What a share of the weight means as a probability, fitted to labelled judgments (`npm run bench
 * memory`): where nearly all agree, more so than the share says; and never surer than people are
 * of themselves, since some decisions are mistakes.
 */
const SLOPE = 1.2;
const MISTAKES = 0.06;

/** How probable it is that the item would be approved. */
export function probabilityOf({ share }: Evidence): number {
  const odds = Math.log(share / (1 - share));
  const agreed = 1 / (1 + Math.exp(-SLOPE * odds));
  return MISTAKES + (1 - 2 * MISTAKES) * agreed;
}

/** A query as it is compared: its words, or their keys, each with its weight. */
export interface Profile {
  weights: ReadonlyMap<string, number>;
  /** Words that stand for a misspelt one of the query, with what they stand for. */
  corrections: ReadonlyMap<string, string>;
  total: number;
  /** Of a word that only the other text has. */
  otherWeight: number;
}

/** What a word of the query, and one of the other text, takes away when it has no counterpart. */
const MISSING = 0.85;
const SURPLUS = 0.6;
/** How much a corrected word is worth. */
const CORRECTED = 0.9;

export function profileOf(
  weights: ReadonlyMap<string, number>,
  corrections: ReadonlyMap<string, string> = new Map(),
): Profile {
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return { weights, corrections, total, otherWeight: total / Math.max(1, weights.size) };
}

/** How rare a word is: in so many of so many judgments. */
export const rarity = (judgments: number, all: number): number =>
  Math.log(1 + (all + 1) / (judgments + 0.5));

/**
 * 0: nothing in common; 1: the same words. The weights of the words that both have, against those
 * that one of them lacks (Tversky's index).
 */
export function similarity(profile: Profile, words: Iterable<string>): number {
  const { weights, corrections } = profile;
  const shared = new Map<string, number>();
  let surplus = 0;
  for (const word of words) {
    const meant = weights.has(word) ? word : corrections.get(word);
    if (meant === undefined) surplus += profile.otherWeight;
    else shared.set(meant, Math.max(shared.get(meant) ?? 0, meant === word ? 1 : CORRECTED));
  }
  let common = 0;
  for (const [word, share] of shared) common += share * (weights.get(word) ?? 0);
  const missing = profile.total - common;
  const whole = common + MISSING * missing + SURPLUS * surplus;
  return whole === 0 ? 0 : common / whole;
}

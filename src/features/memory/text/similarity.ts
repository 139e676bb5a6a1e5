/** A query prepared for comparison: its words, or their keys, each with its weight. */
export interface Profile {
  weights: ReadonlyMap<string, number>;
  /** Maps the correct spelling of a misspelt word to the word in the query. */
  corrections: ReadonlyMap<string, string>;
  total: number;
  /** The weight of a word that only the other text has. */
  otherWeight: number;
}

/**
 * How much a word without counterpart counts against similarity: in the query, in the other text.
 */
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

/** The rarity of a word that occurs in `judgments` of `all` judgments. */
export const rarity = (judgments: number, all: number): number =>
  Math.log(1 + (all + 1) / (judgments + 0.5));

/**
 * The similarity of a query and a text, from 0 for no common word to 1 for the same words: the
 * weight of the common words against those that one of the two lacks (Tversky's index).
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

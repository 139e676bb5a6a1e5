/** A query prepared for comparison: the keys of its words, each with its weight. */
export interface Profile {
  weights: ReadonlyMap<string, number>;
  /** Maps the correct spelling of a misspelt word to the word in the query. */
  corrections: ReadonlyMap<string, string>;
  total: number;
  /** The weight of a word that only the other text has. */
  otherWeight: number;
}

/** A word of a query, with the number of judgments that it occurs in. */
export interface ProfileWord {
  word: string;
  key: string;
  judgments: number;
}

/**
 * The power of a word's rarity in its weight, for a text of up to `SHORT` words, and how much it
 * grows when a text is twice as long. The longer a text, the more of it is what any text says.
 */
const POWER = 1;
const POWER_PER_DOUBLING = 2.25;
const SHORT = 12;
/** The weight of a number, beside that of a word as rare: few texts repeat a number on purpose. */
const NUMBER = 0.3;
/** The weight of a word that no judgment has, beside the mean of the others. */
const UNKNOWN = 0.8;
/** How much a corrected word is worth. */
const CORRECTED = 0.9;
/** How far the other text's weight divides the similarity; the rest is the query's. */
const BY_OTHER = 0.75;

/** @param all the number of all judgments */
export function profileOf(
  words: ProfileWord[],
  all: number,
  corrections: ReadonlyMap<string, string> = new Map(),
): Profile {
  const power = POWER + POWER_PER_DOUBLING * Math.max(0, Math.log2(words.length / SHORT));
  const weightOf = ({ word, judgments }: ProfileWord) =>
    (/^\p{N}+$/u.test(word) ? NUMBER : 1) * rarity(judgments, all) ** power;
  const known = words.filter(({ judgments }) => judgments > 0).map(weightOf);
  const mean = known.length === 0 ? 1 : sumOf(known) / known.length;
  const misspelt = new Set(corrections.values());
  const weights = new Map(
    words.map((one) => {
      const unknown = misspelt.has(one.key) ? mean : UNKNOWN * mean;
      return [one.key, one.judgments > 0 ? weightOf(one) : unknown];
    }),
  );
  return { weights, corrections, total: sumOf([...weights.values()]), otherWeight: mean };
}

const sumOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The rarity of a word that occurs in `judgments` of `all` judgments. */
export const rarity = (judgments: number, all: number): number =>
  Math.log(1 + (all + 1) / (judgments + 0.5));

/**
 * The similarity of a query and a text, from 0 for no common word to 1 for the same words: the
 * weight of the common words, divided by the weights of both texts, mostly by the other's.
 */
export function similarity(profile: Profile, keys: Iterable<string>): number {
  const { weights, corrections, otherWeight } = profile;
  const shared = new Map<string, number>();
  let other = 0;
  for (const key of keys) {
    const meant = weights.has(key) ? key : corrections.get(key);
    other += meant === undefined ? otherWeight : (weights.get(meant) ?? 0);
    if (meant === undefined) continue;
    shared.set(meant, Math.max(shared.get(meant) ?? 0, meant === key ? 1 : CORRECTED));
  }
  let common = 0;
  for (const [key, share] of shared) common += share * (weights.get(key) ?? 0);
  return common === 0 ? 0 : common / (profile.total ** (1 - BY_OTHER) * other ** BY_OTHER);
}

/** The share of common words among all words of two texts. */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [fewer, more] = one.size <= other.size ? [one, other] : [other, one];
  let common = 0;
  for (const word of fewer) if (more.has(word)) common += 1;
  return common === 0 ? 0 : common / (one.size + other.size - common);
}

/** A word's key, and the number of judgments that it occurs in. */
interface CountedTerm {
  key: string;
  judgments: number;
}

/** Selects the judgments to compare with a query. */
export interface Plan {
  /**
   * Searches in PostgreSQL's syntax, each for one word, or for one word together with any of several
   * others. A judgment is compared if it matches one of the searches.
   */
  words: string[];
  /** Whether to compare the newest judgments instead, because every word is too frequent. */
  newest: boolean;
}

/** The most judgments that are read and compared. Further ones would take time and be less similar. */
export const MAX_CANDIDATES = 1_000;
/** The most judgments that combinations may match, because all matches are sorted before the limit. */
const MAX_COMBINED_MATCHES = 5_000;
/**
 * Words that occur in more judgments than this are not combined, as all their index entries would
 * be read.
 */
const MAX_ENTRIES = 150_000;
/** The most words that are combined. */
const MAX_COMBINED_WORDS = 5;
/** The factor by which two words are assumed to occur together more often than by chance. */
const COOCCURRENCE = 5;

/**
 * Plans a search by the rare words of a query, which find similar items at low cost. Frequent words
 * are combined, since few judgments contain several of them. A plan reads a bounded number of rows,
 * whatever the words and the number of judgments, and equal counts give the same plan.
 *
 * @param all the number of judgments
 */
export function planOf(terms: CountedTerm[], all: number): Plan {
  const known = terms
    .filter(({ judgments }) => judgments > 0)
    .sort((a, b) => a.judgments - b.judgments || (a.key < b.key ? -1 : 1));
  let read = 0;
  const rare = known.filter(({ judgments }) => {
    read += judgments;
    return read <= MAX_CANDIDATES;
  });
  const frequent = known
    .slice(rare.length)
    .filter(({ judgments }) => judgments <= MAX_ENTRIES)
    .slice(0, MAX_COMBINED_WORDS);
  const words = [...rare.map(({ key }) => `'${key}'`), ...combinationsOf(frequent, all)];
  return { words, newest: known.length > 0 && words.length === 0 };
}

/**
 * Combines each word with all more frequent ones, up to a number of possible matches. If the rarest
 * word alone exceeds this number, combines the two rarest, unless they are expected to exceed it, too.
 */
function combinationsOf(frequent: CountedTerm[], all: number): string[] {
  const combine = ({ key }: CountedTerm, others: CountedTerm[]) =>
    `'${key}' & (${others.map((other) => `'${other.key}'`).join(' | ')})`;
  let matched = 0;
  const combinations = frequent.slice(0, -1).flatMap((term, index) => {
    matched += term.judgments;
    return matched > MAX_COMBINED_MATCHES ? [] : [combine(term, frequent.slice(index + 1))];
  });
  const [first, second] = frequent;
  if (combinations.length > 0 || !first || !second) return combinations;
  const expected = first.judgments * Math.min(1, (COOCCURRENCE * second.judgments) / all);
  return expected > MAX_COMBINED_MATCHES ? [] : [combine(first, [second])];
}

/** A word's key, and the number of judgments that it occurs in. */
export interface CountedTerm {
  key: string;
  judgments: number;
}

/** Selects judgments that have a word and, if there are others, at least one of these. */
export interface WordGroup {
  word: string;
  others: string[];
}

/** Selects the judgments to compare with a query: those that match one of the groups. */
export interface Plan {
  groups: WordGroup[];
  /** Whether to compare the newest judgments instead, because every word is too frequent. */
  newest: boolean;
}

/** The most judgments that are read and compared. More would take longer and are less similar. */
export const MAX_CANDIDATES = 1_000;
/** How many judgments groups may match, since all matches are sorted before they are limited. */
const MAX_GROUPED = 5_000;
/** Words in more judgments than this are not combined, as their index entries are read too. */
const MAX_ENTRIES = 150_000;
const MAX_COMBINED = 5;
/** How much more often than by chance the words of a text occur together. */
const TOGETHER = 5;

/**
 * Plans a search by the rare words of a query, which find similar items at low cost. Frequent words
 * are combined into groups, which are rare again. A plan reads a bounded number of rows, whatever the
 * words and the number of judgments, and equal counts give the same plan.
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
    .slice(0, MAX_COMBINED);
  const groups = [
    ...rare.map(({ key }) => ({ word: key, others: [] })),
    ...groupsOf(frequent, all),
  ];
  return { groups, newest: known.length > 0 && groups.length === 0 };
}

/** Combines each word with more frequent ones, or the two rarest if even these are frequent. */
function groupsOf(frequent: CountedTerm[], all: number): WordGroup[] {
  let matched = 0;
  const pairs = frequent.slice(0, -1).flatMap(({ key, judgments }, index) => {
    matched += judgments;
    const others = frequent.slice(index + 1).map((other) => other.key);
    return matched > MAX_GROUPED ? [] : [{ word: key, others }];
  });
  const [first, second] = frequent;
  if (pairs.length > 0 || !first || !second) return pairs;
  const expected = first.judgments * Math.min(1, (TOGETHER * second.judgments) / all);
  return expected > MAX_GROUPED ? [] : [{ word: first.key, others: [second.key] }];
}

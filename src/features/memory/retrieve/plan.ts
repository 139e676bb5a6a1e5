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

/** Which judgments are compared with a query: those that match one of the groups. */
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

/** Combines each word with more frequent ones, as long as few judgments match. */
function groupsOf(frequent: CountedTerm[], all: number): WordGroup[] {
  let left = MAX_GROUPED;
  return frequent.flatMap(({ key, judgments }, index) => {
    const others = frequent.slice(index + 1).filter((other) => {
      const expected = judgments * Math.min(1, (TOGETHER * other.judgments) / all);
      if (expected > left) return false;
      left -= expected;
      return true;
    });
    return others.length === 0 ? [] : [{ word: key, others: others.map((one) => one.key) }];
  });
}

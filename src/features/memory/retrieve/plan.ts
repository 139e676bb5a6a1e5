/** A word's key, and the number of judgments that it occurs in. */
export interface CountedTerm {
  key: string;
  judgments: number;
}

/** Selects judgments that have every word of `every` and at least one of `some`. */
export interface WordGroup {
  every: string[];
  some: string[];
}

/** Which judgments are compared with a query: those that match one of the groups. */
export interface Plan {
  groups: WordGroup[];
  /** Whether to compare the newest judgments instead, because every word is too frequent. */
  newest: boolean;
}

/** The most judgments that are read and compared. */
export const MAX_CANDIDATES = 1_000;
/** Words with more index entries than this are too frequent to be combined with others. */
const MAX_ENTRIES = 150_000;
/** How many judgments groups may match, since all matches are sorted before they are limited. */
const MAX_GROUPED = 5_000;
const MAX_COMBINED = 5;
/** How much more often than by chance the words of a group occur together. */
const TOGETHER = 5;

/**
 * Plans a search by the rare words of a query, which find similar items at low cost. Frequent words
 * are combined into pairs or triples, which are rare again. A plan reads a bounded number of rows,
 * whatever the words and the number of judgments, and equal counts give the same plan.
 *
 * @param all the number of judgments
 */
export function planOf(terms: CountedTerm[], all: number): Plan {
  const known = terms
    .filter(({ judgments }) => judgments > 0)
    .sort((a, b) => a.judgments - b.judgments || (a.key < b.key ? -1 : 1));
  let read = 0;
  const firstFrequent = known.findIndex(({ judgments }) => {
    read += judgments;
    return read > MAX_CANDIDATES;
  });
  const rare = firstFrequent < 0 ? known : known.slice(0, firstFrequent);
  const frequent = known
    .slice(rare.length)
    .filter(({ judgments }) => judgments <= MAX_ENTRIES)
    .slice(0, MAX_COMBINED);
  const groups = [...rare.map((term) => groupOf([term], [term])), ...groupsOf(frequent, all)];
  return { groups, newest: known.length > 0 && groups.length === 0 };
}

/**
 * Pairs each less frequent word with the more frequent ones, which matches no more judgments than
 * the word itself. When all words are too frequent, the rarest ones are used together instead.
 */
function groupsOf(frequent: CountedTerm[], all: number): WordGroup[] {
  let found = 0;
  const pairs = frequent.slice(0, -1).flatMap((anchor, index) => {
    found += anchor.judgments;
    return found > MAX_GROUPED ? [] : [groupOf([anchor], frequent.slice(index + 1))];
  });
  if (pairs.length > 0) return pairs;
  const together = [2, 3]
    .filter((size) => size <= frequent.length)
    .map((size) => frequent.slice(0, size))
    .find((group) => expectedOf(group, all) <= MAX_GROUPED);
  return together ? [groupOf(together, together)] : [];
}

const groupOf = (every: CountedTerm[], some: CountedTerm[]): WordGroup => ({
  every: every.map(({ key }) => key),
  some: some.map(({ key }) => key),
});

/** An estimate of how many judgments have all of these words. */
const expectedOf = ([rarest, ...others]: CountedTerm[], all: number): number =>
  others.reduce(
    (expected, { judgments }) => expected * Math.min(1, (TOGETHER * judgments) / Math.max(1, all)),
    rarest?.judgments ?? 0,
  );

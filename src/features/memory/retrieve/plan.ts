/** A word's key, and the number of judgments that it occurs in. */
interface CountedTerm {
  key: string;
  judgments: number;
}

/** The counts of a query's words among all judgments of a tenant or an organization. */
export interface Vocabulary {
  all: number;
  terms: CountedTerm[];
}

/**
 * Selects judgments that have every word of `every` and at least one of `some`; both may overlap.
 */
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
 */
export function planOf({ all, terms }: Vocabulary): Plan {
  const known = terms
    .filter(({ judgments }) => judgments > 0)
    .sort((a, b) => a.judgments - b.judgments || (a.key < b.key ? -1 : 1));
  const rare: CountedTerm[] = [];
  let budget = MAX_CANDIDATES;
  for (const term of known) {
    budget -= term.judgments;
    if (budget < 0) break;
    rare.push(term);
  }
  const frequent = known.slice(rare.length).filter(({ judgments }) => judgments <= MAX_ENTRIES);
  const alone = rare.map((term) => groupOf([term], [term]));
  const groups = [...alone, ...groupsOf(frequent, all)];
  return { groups, newest: known.length > 0 && groups.length === 0 };
}

/**
 * Pairs each less frequent word with the more frequent ones, which matches no more judgments than
 * the word itself. When all words are too frequent, the rarest larger group is used instead.
 */
function groupsOf(frequent: CountedTerm[], all: number): WordGroup[] {
  const few = frequent.slice(0, MAX_COMBINED);
  let found = 0;
  const pairs = few.slice(0, -1).flatMap((anchor, index) => {
    found += anchor.judgments;
    return found > MAX_GROUPED ? [] : [groupOf([anchor], few.slice(index + 1))];
  });
  return pairs.length > 0 ? pairs : rarestGroup(few, all).map((group) => groupOf(group, group));
}

const groupOf = (every: CountedTerm[], some: CountedTerm[]): WordGroup => ({
  every: every.map(({ key }) => key),
  some: some.map(({ key }) => key),
});

function rarestGroup(few: CountedTerm[], all: number): CountedTerm[][] {
  for (let size = Math.min(3, few.length); size >= 2 && size <= few.length; size++) {
    const [rarest] = combinations(few, size)
      .map((group) => ({ group, expected: expectedOf(group, all) }))
      .sort((a, b) => a.expected - b.expected);
    if (rarest && rarest.expected <= MAX_GROUPED) return [rarest.group];
  }
  return [];
}

/** An estimate of how many judgments have all of these words. */
function expectedOf(group: CountedTerm[], all: number): number {
  const [rarest = 0, ...others] = group.map(({ judgments }) => judgments);
  return others.reduce(
    (expected, judgments) => expected * Math.min(1, (TOGETHER * judgments) / Math.max(1, all)),
    rarest,
  );
}

function combinations<Item>(items: Item[], size: number): Item[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) =>
    combinations(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]),
  );
}

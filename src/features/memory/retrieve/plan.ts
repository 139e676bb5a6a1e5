/** A word's key, and in how many judgments it occurs. */
export interface CountedTerm {
  key: string;
  judgments: number;
}

/** What is known of the words of a query, in a tenant or an organization with so many judgments. */
export interface Vocabulary {
  all: number;
  terms: CountedTerm[];
}

/** Words of judgments: every one of these, and some of those, which may be the same. */
export interface WordGroup {
  every: string[];
  some: string[];
}

/** Which judgments are looked at: those with the words of one of the groups. */
export interface Plan {
  groups: WordGroup[];
  /** Every word is so frequent that the newest judgments are looked through instead. */
  newest: boolean;
}

/** How many judgments are read and compared at most. */
export const MAX_CANDIDATES = 1_000;
/** Index entries of one word that are still read to find those that it shares with another. */
const MAX_ENTRIES = 150_000;
/** How many judgments groups may find: they are put in order before they are cut off. */
const MAX_GROUPED = 5_000;
const MAX_COMBINED = 5;
/** Words that occur together do so more often than chance has it. */
const TOGETHER = 5;

/**
 * Rare words find what is alike, and reading them is cheap. Where a query has none, pairs or
 * triples of its less frequent words are rare again. What a plan reads is bounded, whatever the
 * words and however many judgments there are; the same counts give the same plan.
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
 * Pairs with a word that is not too frequent find no more than that word does. Where all are too
 * frequent, the rarest group of more words: those that are most like the query anyway.
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

/** How many judgments have all of these words. */
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

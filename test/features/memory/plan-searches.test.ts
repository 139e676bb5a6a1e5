import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  MAX_CANDIDATES,
  planSearches,
} from '../../../src/features/memory/retrieve/plan-searches.ts';

type Counts = Record<string, number>;

const searches = (counts: Counts) => planSearches(new Map(Object.entries(counts)), 1_000_000);

it('the plan of a search is bounded, and does not depend on the order of the words', () => {
  const terms = fc.array(fc.nat(1_000_000), { maxLength: 300 });
  fc.assert(
    fc.property(terms, (list) => {
      const counts = Object.fromEntries(list.map((count, index) => [`t${index}`, count]));
      const found = searches(counts);
      const [together, alone] = [true, false].map((is) =>
        found.filter((words) => words.includes('&') === is),
      );
      const countOf = (word: string) => counts[word.replaceAll("'", '')] ?? 0;
      const read = (alone ?? []).reduce((sum, word) => sum + countOf(word), 0);
      expect(read).toBeLessThanOrEqual(MAX_CANDIDATES);
      expect((together ?? []).length).toBeLessThanOrEqual(4);
      expect(searches(Object.fromEntries(Object.entries(counts).toReversed()))).toEqual(found);
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_CANDIDATES,
  planSearches,
} from '../../../src/features/memory/retrieve/plan-searches.ts';

type Counts = Record<string, number>;

const searches = (counts: Counts) => planSearches(new Map(Object.entries(counts)), 1_000_000);

describe('the plan of a search', () => {
  it.each<[what: string, counts: Counts, words: string[]]>([
    ['rare words, while their number is limited', { a: 700, b: 3, d: 900 }, ["'b'", "'a'"]],
    ['combinations of frequent words', { a: 20_000, b: 30_000, c: 900_000 }, ["'a' & ('b')"]],
    [
      'a less frequent word with each of the others',
      { a: 2_000, b: 2_500, c: 9_000, d: 80_000 },
      ["'a' & ('b' | 'c' | 'd')", "'b' & ('c' | 'd')"],
    ],
    ['nothing if every word is frequent', { a: 800_000, b: 900_000 }, []],
  ])('looks up %s', (_what, counts, words) => {
    expect(searches(counts)).toEqual(words);
  });

  it('is bounded, and does not depend on the order of the words', () => {
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
});

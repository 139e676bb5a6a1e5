import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CANDIDATES, planOf } from '../../../src/features/memory/retrieve/plan.ts';

type Counts = Record<string, number>;

const planFor = (counts: Counts, all = 1_000_000) =>
  planOf(
    Object.entries(counts).map(([key, judgments]) => ({ key, judgments })),
    all,
  );

describe('the plan of a search', () => {
  it.each<[what: string, counts: Counts, words: string[]]>([
    ['rare words, while their number is limited', { a: 700, b: 3, c: 0, d: 900 }, ["'b'", "'a'"]],
    ['combinations of frequent words', { a: 20_000, b: 30_000, c: 900_000 }, ["'a' & ('b')"]],
    [
      'a less frequent word with each of the others',
      { a: 2_000, b: 2_500, c: 9_000, d: 80_000 },
      ["'a' & ('b' | 'c' | 'd')", "'b' & ('c' | 'd')"],
    ],
    ['nothing if no word is known', { a: 0 }, []],
  ])('looks up %s', (_what, counts, words) => {
    expect(planFor(counts)).toEqual({ words, newest: false });
  });

  it('scans the newest if every word is frequent', () => {
    expect(planFor({ a: 800_000, b: 900_000 })).toEqual({ words: [], newest: true });
  });

  it('is bounded, and does not depend on the order of the words', () => {
    const terms = fc.array(fc.nat(1_000_000), { maxLength: 300 });
    fc.assert(
      fc.property(terms, (list) => {
        const counts = Object.fromEntries(list.map((count, index) => [`'t${index}'`, count]));
        const named = list.map((judgments, index) => ({ key: `t${index}`, judgments }));
        const plan = planOf(named, 1_000_000);
        const [together, alone] = [true, false].map((is) =>
          plan.words.filter((words) => words.includes('&') === is),
        );
        const read = (alone ?? []).reduce((sum, word) => sum + (counts[word] ?? 0), 0);
        expect(read).toBeLessThanOrEqual(MAX_CANDIDATES);
        expect((together ?? []).length).toBeLessThanOrEqual(4);
        expect(planOf(named.toReversed(), 1_000_000)).toEqual(plan);
      }),
    );
  });
});

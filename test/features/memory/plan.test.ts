import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_CANDIDATES,
  planOf,
  type WordGroup,
} from '../../../src/features/memory/retrieve/plan.ts';

const alone = (word: string): WordGroup => ({ word, others: [] });
const term = (key: string, judgments: number) => ({ key, judgments });

describe('the plan of a search', () => {
  it('looks up rare words while their number is limited', () => {
    const terms = [term('a', 700), term('b', 3), term('c', 0), term('d', 900)];
    const plan = planOf(terms, 10_000);
    expect(plan).toEqual({ groups: [alone('b'), alone('a')], newest: false });
  });

  it('looks up combinations of frequent words', () => {
    const terms = [term('a', 20_000), term('b', 30_000), term('c', 900_000)];
    expect(planOf(terms, 1_000_000)).toEqual({
      groups: [{ word: 'a', others: ['b'] }],
      newest: false,
    });
  });

  it('combines a less frequent word with each of the others', () => {
    const terms = [term('a', 2_000), term('b', 2_500), term('c', 9_000), term('d', 80_000)];
    expect(planOf(terms, 1_000_000).groups).toEqual([
      { word: 'a', others: ['b', 'c', 'd'] },
      { word: 'b', others: ['c', 'd'] },
    ]);
  });

  it('scans the newest if every word is frequent', () => {
    const terms = [term('a', 800_000), term('b', 900_000)];
    expect(planOf(terms, 1_000_000)).toEqual({ groups: [], newest: true });
  });

  it('looks up nothing if no word is known', () => {
    expect(planOf([term('a', 0)], 5)).toEqual({
      groups: [],
      newest: false,
    });
  });

  it('is bounded, and does not depend on the order of the words', () => {
    const terms = fc.array(fc.nat(1_000_000), { maxLength: 300 });
    fc.assert(
      fc.property(terms, (counts) => {
        const named = counts.map((count, index) => term(`t${index}`, count));
        const plan = planOf(named, 1_000_000);
        const byKey = new Map(named.map(({ key, judgments }) => [key, judgments]));
        const countOf = (group: WordGroup) => byKey.get(group.word) ?? 0;
        const isAlone = ({ others }: WordGroup) => others.length === 0;
        const [alone, together] = [true, false].map((is) =>
          plan.groups.filter((group) => isAlone(group) === is),
        );
        const read = (alone ?? []).reduce((sum, group) => sum + countOf(group), 0);
        expect(read).toBeLessThanOrEqual(MAX_CANDIDATES);
        expect((together ?? []).length).toBeLessThanOrEqual(4);
        expect(planOf(named.toReversed(), 1_000_000)).toEqual(plan);
      }),
    );
  });
});

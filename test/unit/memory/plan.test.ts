import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CANDIDATES, planOf } from '../../../src/features/memory/retrieve/plan.ts';

const term = (key: string, judgments: number) => ({ key, judgments });

describe('the plan of a search', () => {
  it('looks rare words up, as far as they are not too many together', () => {
    const terms = [term('a', 700), term('b', 3), term('c', 0), term('d', 900)];
    const plan = planOf({ all: 10_000, terms });
    expect(plan).toMatchObject({ any: ['b', 'a'], newest: false });
  });

  it('looks frequent words up together', () => {
    const terms = [term('a', 20_000), term('b', 30_000), term('c', 900_000)];
    expect(planOf({ all: 1_000_000, terms })).toEqual({
      any: [],
      groups: [['a', 'b']],
      newest: false,
    });
  });

  it('looks through the newest where every word is frequent', () => {
    const terms = [term('a', 800_000), term('b', 900_000)];
    expect(planOf({ all: 1_000_000, terms })).toEqual({ any: [], groups: [], newest: true });
  });

  it('looks at nothing where no word is known', () => {
    expect(planOf({ all: 5, terms: [term('a', 0)] })).toEqual({
      any: [],
      groups: [],
      newest: false,
    });
  });

  it('is bounded, and the same whatever the order of the words', () => {
    const terms = fc.array(fc.nat(1_000_000), { maxLength: 300 });
    fc.assert(
      fc.property(terms, (counts) => {
        const named = counts.map((count, index) => term(`t${index}`, count));
        const plan = planOf({ all: 1_000_000, terms: named });
        const byKey = new Map(named.map(({ key, judgments }) => [key, judgments]));
        const read = plan.any.reduce((sum, key) => sum + (byKey.get(key) ?? 0), 0);
        expect(read).toBeLessThanOrEqual(MAX_CANDIDATES);
        expect(plan.groups.length).toBeLessThanOrEqual(10);
        expect(planOf({ all: 1_000_000, terms: named.toReversed() })).toEqual(plan);
      }),
    );
  });
});

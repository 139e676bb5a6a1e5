import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffText, type TextEdit } from '../../../src/features/crdt/content/diff/diff-text.ts';
import { newBudget } from '../../../src/features/crdt/content/diff/work-budget.ts';

const words = fc.constantFrom('one', 'two', ' ', '\n', '.', '😀', '👩‍🚀', '漢', '字', 'é', 'x');
const texts = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(''));
const units = fc.string({ unit: 'binary', maxLength: 40 });

function applied(before: string, edits: TextEdit[]): string {
  return edits.reduceRight(
    (text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to),
    before,
  );
}

describe('diffText', () => {
  it('returns edits in order and apart that lead from one text to the other, with any work budget, and split no surrogate pair', () => {
    const text = fc.oneof(texts, units);
    const budgets = fc.oneof(fc.constant(newBudget().steps), fc.integer({ min: 0, max: 300 }));
    fc.assert(
      fc.property(text, text, budgets, (before, after, steps) => {
        const edits = diffText(before, after, { steps });
        expect(applied(before, edits)).toBe(after);
        for (const [index, { from, to, insert }] of edits.entries()) {
          expect(from).toBeGreaterThan(edits[index - 1]?.to ?? -1);
          expect(insert.isWellFormed()).toBe(true);
          expect(before.slice(0, from).isWellFormed()).toBe(true);
          expect(before.slice(to).isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
    // Two pairs with the same first surrogate, and two with the same second.
    expect(diffText('a😀b', 'a😁b', newBudget())).toEqual([{ from: 1, to: 3, insert: '😁' }]);
    expect(diffText('a\u{1f600}b', 'a\u{1f200}b', newBudget())).toEqual([
      { from: 1, to: 3, insert: '\u{1f200}' },
    ]);
  });

  it('compares nothing of a long block between two changes, and splits no pair beside it', () => {
    const block = Array.from({ length: 500 }, (_, index) => `${index * 7919}😀`).join(' ');
    const edits = diffText(`one ${block} two`, `eins ${block} zwei`, { steps: 0 });
    expect(edits.map(({ insert }) => insert)).toEqual(['eins', 'zwei']);
    // The same first surrogate before the block, and the same second after it.
    const [before, after] = [`1😀${block}\u{1f600}2`, `3\u{1f200}${block}😁4`];
    const split = diffText(before, after, newBudget());
    for (const { insert } of split) expect(insert.isWellFormed()).toBe(true);
    expect(applied(before, split)).toBe(after);
  });

  it('finds the changed words in a text without line breaks', () => {
    const before = Array.from({ length: 5_000 }, (_, index) => `${index * 7919}`).join(' ');
    const after = before.replace(' 791900 ', ' first ').replace(' 31676000 ', ' second ');
    const edits = diffText(before, after, newBudget());
    expect(edits.reduce((sum, { insert }) => sum + insert.length, 0)).toBeLessThan(20);
  });

  it('does not mix the letters of unlike words', () => {
    expect(diffText('a planet', 'a garden', newBudget())).toHaveLength(1);
    expect(diffText('colour', 'colours', newBudget())).toEqual([{ from: 6, to: 6, insert: 's' }]);
  });

  it('exceeds its work budget by one round at most, however unlike or large the texts', () => {
    const one = Array.from({ length: 40_000 }, (_, index) => 'abc'[(index * index) % 3]).join(
      '.\n',
    );
    const other = Array.from({ length: 40_000 }, (_, index) => 'cab'[(index * 7) % 3]).join('\n,');
    const budget = newBudget();
    expect(applied(one, diffText(one, other, budget))).toBe(other);
    expect(budget.steps).toBeGreaterThan(-one.length - other.length);
  });

  it('returns at most 2,000 edits', () => {
    const before = Array.from({ length: 5_000 }, (_, line) => `${line} words here\n`).join('');
    const after = before.replaceAll('words', 'texts');
    const edits = diffText(before, after, { steps: Infinity });
    expect(edits.length).toBeLessThanOrEqual(2_000);
    expect(applied(before, edits)).toBe(after);
  });
});

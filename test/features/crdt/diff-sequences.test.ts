import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffSequences } from '../../../src/features/crdt/content/diff-sequences.ts';
import type { Hunk } from '../../../src/features/crdt/content/hunk.ts';
import { shortestEdits } from '../../../src/features/crdt/content/shortest-edits.ts';

const editCount = (hunks: Hunk[] = []): number =>
  hunks.reduce((sum, { aFrom, aTo, bFrom, bTo }) => sum + aTo - aFrom + bTo - bFrom, 0);

function longestCommon(a: number[], b: number[]): number {
  const [first, ...rest] = a;
  if (first === undefined) return 0;
  const at = b.indexOf(first);
  const without = longestCommon(rest, b);
  return at < 0 ? without : Math.max(without, 1 + longestCommon(rest, b.slice(at + 1)));
}

it('two sequences are compared by the fewest possible edits', () => {
  const few = fc.array(fc.nat(2), { minLength: 3, maxLength: 12 });
  fc.assert(
    fc.property(few, few, (a, b) => {
      const whole = { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length };
      const budget = { steps: Infinity };
      const hunks = shortestEdits(Int32Array.from(a), Int32Array.from(b), whole, budget);
      expect(editCount(hunks)).toBe(a.length + b.length - 2 * longestCommon(a, b));
    }),
    { numRuns: 500 },
  );
});

it('everything that is unique and in order is kept, also without a work budget', () => {
  const a = Array.from({ length: 1_000 }, (_, index) => index);
  const b = a.filter((token) => token % 3 !== 0);
  expect(editCount(diffSequences(a, b, { steps: 0 }))).toBe(a.length - b.length);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffSequences } from '../../../src/features/crdt/content/diff-sequences.ts';
import type { Hunk } from '../../../src/features/crdt/content/hunk.ts';
import { shortestEdits } from '../../../src/features/crdt/content/shortest-edits.ts';

const few = fc.array(fc.nat(2), { minLength: 3, maxLength: 12 });

function whole(a: number[], b: number[]): Hunk {
  return { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length };
}

function editCount(hunks: Hunk[]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.aTo - hunk.aFrom + hunk.bTo - hunk.bFrom, 0);
}

function applied(a: number[], b: number[], hunks: Hunk[]): number[] {
  return hunks.reduceRight(
    (now, { aFrom, aTo, bFrom, bTo }) => now.toSpliced(aFrom, aTo - aFrom, ...b.slice(bFrom, bTo)),
    a,
  );
}

function longestCommon(a: number[], b: number[]): number {
  const [first, ...rest] = a;
  if (first === undefined) return 0;
  const at = b.indexOf(first);
  const without = longestCommon(rest, b);
  return at < 0 ? without : Math.max(without, 1 + longestCommon(rest, b.slice(at + 1)));
}

describe('shortestEdits', () => {
  it('returns the fewest possible edits', () => {
    fc.assert(
      fc.property(few, few, (a, b) => {
        const hunks = shortestEdits(Int32Array.from(a), Int32Array.from(b), whole(a, b), {
          steps: Infinity,
        });
        expect(applied(a, b, hunks ?? [])).toEqual(b);
        expect(editCount(hunks ?? [])).toBe(a.length + b.length - 2 * longestCommon(a, b));
      }),
      { numRuns: 500 },
    );
  });
});

describe('diffSequences', () => {
  it('leads from one sequence to the other with any work budget', () => {
    const tokens = fc.array(fc.nat(19), { minLength: 10, maxLength: 30 });
    fc.assert(
      fc.property(tokens, tokens, fc.constantFrom(0, 20, Infinity), (a, b, steps) => {
        const hunks = diffSequences(Int32Array.from(a), Int32Array.from(b), { steps });
        expect(applied(a, b, hunks)).toEqual(b);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps everything that is unique and in order, with no work budget', () => {
    const a = Int32Array.from({ length: 1_000 }, (_, index) => index);
    const b = a.filter((token) => token % 3 !== 0);
    expect(editCount(diffSequences(a, b, { steps: 0 }))).toBe(a.length - b.length);
  });
});

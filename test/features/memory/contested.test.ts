import { describe, expect, it } from 'vitest';
import type { SimilarJudgment } from '../../../src/features/memory/retrieve/find-similar.ts';
import { isContested } from '../../../src/features/memory/suggest/contested.ts';

type Decision = [reviewerId: string | null, approved: boolean];

/**
 * Decisions about one item at one time, as far as `apart` does not say that texts of two of them have
 * little in common.
 */
function decided(decisions: Decision[], apart: (a: number, b: number) => boolean = () => false) {
  const size = decisions.length + 1;
  const found = decisions.map(([reviewerId, approved]) => ({
    reviewerId,
    stance: approved ? 1 : -1,
  })) as SimilarJudgment[];
  return {
    found,
    values: Float64Array.from(found, ({ stance }) => stance),
    noise: new Float64Array(found.length).fill(1.4),
    covariance: new Float64Array(size * size).fill(1),
    together: Float64Array.from({ length: size * size }, (_, index) =>
      apart(Math.floor(index / size), index % size) ? 0 : 7,
    ),
  };
}

const times = (count: number, make: (n: number) => Decision): Decision[] =>
  Array.from({ length: count }, (_, n) => make(n));

describe('a matter is contested', () => {
  it('where half of the reviewers always approve it, and half always reject it', () => {
    const camps = times(18, (n) => [`reviewer-${n % 6}`, n % 2 === 0]);
    expect(isContested(decided(camps))).toBe(true);
  });

  it.each([
    ['everybody decides once', (n: number) => `reviewer-${n}`],
    ['nobody is named', () => null],
  ])('where decisions are split evenly and %s', (_when, reviewerOf) => {
    const split = times(10, (n) => [reviewerOf(n), n % 2 === 0]);
    expect(isContested(decided(split))).toBe(true);
  });
});

describe('a matter is not contested', () => {
  it.each([0, 1, 2, 20])('by %s judgments that agree', (count) => {
    expect(isContested(decided(times(count, (n) => [`reviewer-${n}`, true])))).toBe(false);
  });

  it('by slips of several reviewers', () => {
    const slips = times(24, (n) => [`reviewer-${n % 6}`, n % 8 !== n >> 3]);
    expect(isContested(decided(slips))).toBe(false);
  });

  it('where the texts explain who decides how', () => {
    const kinds = times(18, (n) => [`reviewer-${n % 6}`, n % 2 === 0]);
    expect(isContested(decided(kinds, (a, b) => a % 2 !== b % 2))).toBe(false);
  });

  it('by judgments of another time or place than the question, where its own is settled', () => {
    const camps = times(18, (n) => [`reviewer-${n % 6}`, n % 2 === 0]);
    const settled = times(6, (n) => [`reviewer-${n}`, true]);
    const matter = decided([...camps, ...settled]);
    expect(isContested(matter)).toBe(true);
    matter.covariance.fill(0, -25, -7);
    expect(isContested(matter)).toBe(false);
  });
});

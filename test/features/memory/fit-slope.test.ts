import { describe, expect, it } from 'vitest';
import { type Example, fitSlope } from '../../../src/features/memory/calibrate/fit-slope.ts';
import { probabilityOf, USUAL_SLOPE } from '../../../src/features/memory/suggest/probability.ts';

/** Examples with scores from -1 to 1, each approved as often as this slope says. */
const examples = (slope: number, mistakes: number, count: number): Example[] =>
  Array.from({ length: count }, (_, n) => {
    const score = ((n * 0.618) % 1) * 2 - 1;
    const approval = mistakes + (1 - 2 * mistakes) / (1 + Math.exp(-slope * score));
    return { score, count: 1_000, approved: (n * 0.7549) % 1 < approval };
  });

describe('the slope of a tenant', () => {
  it('is the usual one without examples', () => {
    expect(fitSlope([])).toBeCloseTo(USUAL_SLOPE);
  });

  it.each([2, 4, 8])('of %d is found among many decisions, some of them mistaken', (slope) => {
    const fitted = fitSlope(examples(slope, 0.1, 2_000));
    expect(Math.abs(Math.log(fitted / slope))).toBeLessThan(0.25);
  });

  it('stays near the usual one while examples are few', () => {
    const few = fitSlope(examples(1, 0.1, 10));
    expect(few).toBeGreaterThan(fitSlope(examples(1, 0.1, 400)));
    expect(few).toBeGreaterThan(USUAL_SLOPE / 2);
  });

  it('does not depend on the order of the examples', () => {
    const some = examples(5, 0.1, 100);
    expect(fitSlope(some.toReversed())).toBeCloseTo(fitSlope(some), 10);
  });
});

describe('the confidence of few judgments', () => {
  it.each([
    [2, 0.89],
    [4, 0.93],
    [40, 0.98],
  ])('of %d is at most %d, however clear the scores of the key are', (count, most) => {
    expect(probabilityOf({ score: 9, count }, 30)).toBeLessThan(most);
    expect(probabilityOf({ score: 9, count }, 30)).toBeGreaterThan(most - 0.02);
    expect(probabilityOf({ score: -9, count }, 30)).toBeGreaterThan(1 - most);
  });

  it('is even without any', () => {
    expect(probabilityOf({ score: 9, count: 0 }, 30)).toBe(0.5);
  });
});

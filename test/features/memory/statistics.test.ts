import { describe, expect, it } from 'vitest';
import {
  binomialTail,
  fisherExact,
  normalTails,
  studentTails,
} from '../../../src/features/memory/alerts/detect/statistics.ts';

/** Values from published tables. */
describe('the statistical tests behind alerts', () => {
  it("Fisher's exact test: the lady tasting tea, and equal groups", () => {
    expect(fisherExact(3, 4, 1, 4)).toBeCloseTo(0.4857, 4);
    expect(fisherExact(1, 12, 9, 12)).toBeCloseTo(0.002759, 6);
    expect(fisherExact(5, 10, 5, 10)).toBeCloseTo(1, 6);
    expect(fisherExact(0, 8, 8, 8)).toBeCloseTo(2 / 12_870, 8);
  });

  it('binomial test: coin tosses', () => {
    expect(binomialTail(8, 10, 0.5)).toBeCloseTo(56 / 1024, 8);
    expect(binomialTail(0, 10, 0.5)).toBeCloseTo(1, 6);
  });

  it('normal distribution', () => {
    expect(normalTails(1.959964)).toBeCloseTo(0.05, 5);
    expect(normalTails(-3.290527)).toBeCloseTo(0.001, 5);
    expect(normalTails(0)).toBeCloseTo(1, 6);
  });

  it("Student's distribution with odd and even degrees of freedom", () => {
    expect(studentTails(12.706, 1)).toBeCloseTo(0.05, 4);
    expect(studentTails(4.3027, 2)).toBeCloseTo(0.05, 4);
    expect(studentTails(3.1824, 3)).toBeCloseTo(0.05, 4);
    expect(studentTails(2.0796, 21)).toBeCloseTo(0.05, 4);
    expect(studentTails(-3.8193, 21)).toBeCloseTo(0.001, 4);
    expect(studentTails(2.2281, 10)).toBeCloseTo(0.05, 4);
  });
});

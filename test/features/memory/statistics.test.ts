import { describe, expect, it } from 'vitest';
import {
  binomialTail,
  compareRates,
  normalTails,
  studentTails,
} from '../../../src/features/memory/alerts/detect/statistics.ts';

/** Values from published tables. */
describe('the statistical tests behind alerts', () => {
  it('comparison of rates: near to the exact test of Fisher, also for few judgments', () => {
    const compare = (a: number, b: number, c: number, d: number) =>
      compareRates({ approved: a, decided: b }, { approved: c, decided: d });
    expect(compare(0, 4, 8, 8)).toBeCloseTo(0.002, 3);
    expect(compare(1, 12, 9, 12)).toBeCloseTo(0.0028, 2);
    expect(compare(5, 10, 5, 10)).toBeCloseTo(1, 6);
    expect(compare(28, 70, 240, 300)).toBeLessThan(1e-9);
  });

  it('comparison of rates that vary more, or differ usually', () => {
    const [one, other] = [
      { approved: 20, decided: 50 },
      { approved: 60, decided: 100 },
    ];
    const plain = compareRates(one, other);
    expect(compareRates(one, other, { dispersion: 2 })).toBeGreaterThan(plain);
    expect(compareRates(one, other, { usual: 0.1 })).toBeGreaterThan(plain);
    expect(compareRates(one, other, { usual: 0.2 })).toBeCloseTo(1, 6);
  });

  it('binomial test: coin tosses', () => {
    expect(binomialTail(8, 10, 0.5)).toBeCloseTo(56 / 1024, 8);
    expect(binomialTail(0, 10, 0.5)).toBeCloseTo(1, 6);
    expect(binomialTail(60_000, 100_000, 0.05)).toBeCloseTo(0, 6);
    expect(binomialTail(1_000, 100_000, 0.05)).toBeCloseTo(1, 6);
  });

  it('normal distribution', () => {
    expect(normalTails(1.959964)).toBeCloseTo(0.05, 5);
    expect(normalTails(-3.290527)).toBeCloseTo(0.001, 5);
    expect(normalTails(0)).toBeCloseTo(1, 6);
  });

  it("Student's distribution", () => {
    expect(studentTails(2.2281, 10)).toBeCloseTo(0.05, 3);
    expect(studentTails(2.0796, 21)).toBeCloseTo(0.05, 4);
    expect(studentTails(-3.8193, 21)).toBeCloseTo(0.001, 4);
  });
});

import { describe, expect, it } from 'vitest';
import { runDetectors } from '../../../src/features/memory/alerts/detect/detectors.ts';
import {
  binomialTail,
  compareRates,
  normalTails,
} from '../../../src/features/memory/alerts/detect/statistics.ts';
import { ALERT_TYPES } from '../../../src/features/memory/alerts/schema.ts';

describe('the statistical tests behind alerts', () => {
  it('compare rates with results of the order of the exact test of Fisher, also for few judgments', () => {
    const compare = (a: number, b: number, c: number, d: number) =>
      compareRates({ approved: a, decided: b }, { approved: c, decided: d });
    for (const [probability, exact] of [
      [compare(0, 4, 8, 8), 0.002],
      [compare(1, 12, 9, 12), 0.0028],
    ] as const) {
      expect(probability).toBeGreaterThan(exact / 3);
      expect(probability).toBeLessThan(exact * 3);
    }
    expect(compare(5, 10, 5, 10)).toBeCloseTo(1, 6);
    expect(compare(28, 70, 240, 300)).toBeLessThan(1e-9);
  });

  it('find a difference less surprising if rates vary more, or usually differ', () => {
    const [one, other] = [
      { approved: 20, decided: 50 },
      { approved: 60, decided: 100 },
    ];
    const plain = compareRates(one, other);
    expect(compareRates(one, other, { dispersion: 2 })).toBeGreaterThan(plain);
    expect(compareRates(one, other, { usualDifference: 0.1 })).toBeGreaterThan(plain);
    expect(compareRates(one, other, { usualDifference: 0.2 })).toBeCloseTo(1, 6);
  });

  it('count the tosses of a coin exactly, and many trials without losing precision', () => {
    expect(binomialTail(8, 10, 0.5)).toBeCloseTo(56 / 1024, 8);
    expect(binomialTail(0, 10, 0.5)).toBeCloseTo(1, 6);
    expect(binomialTail(60_000, 100_000, 0.05)).toBeCloseTo(0, 6);
    expect(binomialTail(1_000, 100_000, 0.05)).toBeCloseTo(1, 6);
  });

  it('agree with the tables of the normal distribution', () => {
    expect(normalTails(1.959964)).toBeCloseTo(0.05, 5);
    expect(normalTails(-3.290527)).toBeCloseTo(0.001, 5);
    expect(normalTails(0)).toBeCloseTo(1, 6);
  });
});

describe('the detection of alerts', () => {
  it('reads each count a few times, however many reviewers there are', () => {
    let reads = 0;
    const days = Array.from({ length: 4_000 }, (_, n) => ({
      ...{ daysAgo: n % 30, organizationId: `org-${n % 10}`, judged: 1, decided: 1 },
      approved: n % 2,
      get reviewerId() {
        reads += 1;
        return `reviewer-${n % 400}`;
      },
    }));
    const config = {
      ...{ enabled: true, maxAlertsPerWeek: 3, enabledAlertTypes: [...ALERT_TYPES] },
      severityThreshold: 'low' as const,
    };
    runDetectors({ now: 0, days, items: [] }, config);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(5 * days.length);
  });
});

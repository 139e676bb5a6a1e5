import { describe, expect, it } from 'vitest';
import { Budget } from '../../../src/platform/limits/budget.ts';

describe('a budget', () => {
  it('saves up ten seconds, lends once, and is available again after repayment', () => {
    let now = 100;
    const budget = new Budget(5, () => now);
    budget.spend('acme', 50);
    expect(budget.secondsInDebt('acme')).toBe(0);
    budget.spend('acme', 500);
    expect(budget.secondsInDebt('acme')).toBe(100);
    expect(budget.secondsInDebt('umbrella')).toBe(0);
    now += 60;
    expect(budget.secondsInDebt('acme')).toBe(40);
    now += 40;
    expect(budget.secondsInDebt('acme')).toBe(0);
    budget.spend('acme', 1);
    expect(budget.secondsInDebt('acme')).toBeGreaterThan(0);
  });

  it('remembers debts, however many others spend', () => {
    let now = 0;
    const budget = new Budget(1, () => now);
    budget.spend('acme', 1_000_000);
    for (let name = 0; name < 30_000; name++) {
      now += 1;
      budget.spend(String(name), 1);
    }
    expect(budget.secondsInDebt('acme')).toBe(1_000_000 - 30_000 - 10);
  });
});

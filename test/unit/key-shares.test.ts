import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyShares } from '../../src/platform/key-shares.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

let isBusy: boolean;
const shares = () => new KeyShares(() => isBusy);

describe('a greedy key', () => {
  beforeEach(() => {
    isBusy = true;
  });

  it('took more than half again its part of what all keys used', () => {
    const used = shares();
    used.add('acme', 75);
    used.add('umbrella', 25);
    expect(used.isGreedy('acme')).toBe(false);
    used.add('acme', 5);
    expect(used.isGreedy('acme')).toBe(true);
    expect(used.isGreedy('umbrella')).toBe(false);
    expect(used.isGreedy('initech')).toBe(false);
  });

  it('is not alone', () => {
    const used = shares();
    used.add('acme', 100);
    expect(used.isGreedy('acme')).toBe(false);
  });

  it('is none while the process has time left', () => {
    const used = shares();
    used.add('acme', 100);
    used.add('umbrella', 1);
    isBusy = false;
    expect(used.isGreedy('acme')).toBe(false);
  });

  it('is forgotten after two seconds', () => {
    const used = shares();
    used.add('acme', 100);
    used.add('umbrella', 1);
    vi.advanceTimersByTime(1_000);
    expect(used.isGreedy('acme')).toBe(true);
    vi.advanceTimersByTime(1_000);
    used.add('umbrella', 1);
    used.add('initech', 1);
    expect(used.isGreedy('acme')).toBe(false);
  });
});

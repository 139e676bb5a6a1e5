import { beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyShares } from '../../../src/platform/limits/key-shares.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

let isBusy: boolean;
const shares = () => new KeyShares(() => isBusy);

describe('a key', () => {
  beforeEach(() => {
    isBusy = true;
  });

  it('is greedy if it used more than one and a half times its share', () => {
    const used = shares();
    used.add('acme', 75);
    used.add('umbrella', 25);
    expect(used.isGreedy('acme')).toBe(false);
    used.add('acme', 5);
    expect(used.isGreedy('acme')).toBe(true);
    expect(used.isGreedy('umbrella')).toBe(false);
    expect(used.isGreedy('initech')).toBe(false);
  });

  it('is not greedy while it is the only active key', () => {
    const used = shares();
    used.add('acme', 100);
    expect(used.isGreedy('acme')).toBe(false);
  });

  it('is not greedy while the process is not busy', () => {
    const used = shares();
    used.add('acme', 100);
    used.add('umbrella', 1);
    isBusy = false;
    expect(used.isGreedy('acme')).toBe(false);
  });

  it('is not greedy any more after two seconds', () => {
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

import { beforeEach, expect, it, vi } from 'vitest';
import { KeyShares } from '../../../src/platform/limits/key-shares.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

it.each<[when: string, isGreedy: boolean, used: Record<string, number>, isBusy?: boolean]>([
  ['it used one and a half times its share', false, { acme: 75, umbrella: 25 }],
  ['it used more than that', true, { acme: 80, umbrella: 25 }],
  ['another one did', false, { acme: 25, umbrella: 80 }],
  ['it used nothing', false, { umbrella: 80, initech: 25 }],
  ['it is the only active key', false, { acme: 100 }],
  ['the process is not busy', false, { acme: 100, umbrella: 1 }, false],
])('when %s, a key is greedy: %s', (_when, isGreedy, used, isBusy = true) => {
  const shares = new KeyShares(() => isBusy);
  for (const [key, count] of Object.entries(used)) shares.add(key, count);
  expect(shares.isGreedy('acme')).toBe(isGreedy);
});

it('a key is not greedy any more after two seconds', () => {
  const shares = new KeyShares(() => true);
  shares.add('acme', 100);
  shares.add('umbrella', 1);
  vi.advanceTimersByTime(1_000);
  expect(shares.isGreedy('acme')).toBe(true);
  vi.advanceTimersByTime(1_000);
  shares.add('umbrella', 1);
  shares.add('initech', 1);
  expect(shares.isGreedy('acme')).toBe(false);
});

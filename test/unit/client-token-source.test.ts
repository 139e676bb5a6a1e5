import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TokenSource } from '../../src/client/token-source.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;

/** A token that is valid for an hour by the clock of a server that is a day ahead. */
function tokenOfOneHour(n: number): string {
  const iat = Date.now() / 1000 + 86_400;
  const payload = Buffer.from(JSON.stringify({ n, iat, exp: iat + 3_600 })).toString('base64url');
  return `header.${payload}.signature`;
}

it('asks for a new token after four fifths of its life, whatever the clock says', async () => {
  let asked = 0;
  const source = new TokenSource(() => tokenOfOneHour(asked++));
  await source.get();
  vi.advanceTimersByTime(0.79 * HOUR_MS);
  await source.get();
  expect(asked).toBe(1);
  vi.advanceTimersByTime(0.02 * HOUR_MS);
  await source.get();
  expect(asked).toBe(2);
});

it('asks again after a failure', async () => {
  const ask = vi.fn().mockRejectedValueOnce(new Error('No network.')).mockResolvedValue('token');
  const source = new TokenSource(ask);
  await expect(source.get()).rejects.toThrow('The app gave no token: No network.');
  expect(await source.get()).toBe('token');
});

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CredentialCache } from '../../../src/api/credentials/credential-cache.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

let lookups: number;
let cache: CredentialCache;
beforeEach(() => {
  lookups = 0;
  cache = new CredentialCache();
});

const ask = () =>
  cache.get('token', async () => {
    lookups++;
    return { owners: ['acme', 'workspace'] };
  });

describe('cached credentials', () => {
  it('expire within a second of the start of their lookup', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const slow = cache.get('token', async () => {
      await answered;
      return { owners: ['acme'] };
    });
    vi.advanceTimersByTime(800);
    answer();
    await slow;
    vi.advanceTimersByTime(199);
    await ask();
    expect(lookups).toBe(1);
  });

  it('are not cached if they change during their lookup', async () => {
    const first = ask();
    cache.forget('umbrella');
    await Promise.all([first, ask()]);
    expect(lookups).toBe(2);
  });

  it('are not cached if they are wrong', async () => {
    const wrong = () => cache.get('token', async () => void lookups++ as undefined);
    const failing = () =>
      cache.get('token', async () => {
        lookups++;
        throw new Error('The database is away.');
      });
    await wrong();
    await wrong();
    await expect(failing()).rejects.toThrow('away');
    await expect(failing()).rejects.toThrow('away');
    expect(lookups).toBe(4);
  });
});

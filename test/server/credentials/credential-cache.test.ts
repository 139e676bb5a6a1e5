import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CredentialCache } from '../../../src/api/credentials/credential-cache.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

let lookups: number;
let cache: CredentialCache;
beforeEach(() => {
  lookups = 0;
  cache = new CredentialCache();
});

const ask = (credentials = 'token', owner = 'acme') =>
  cache.get(credentials, async () => {
    lookups++;
    return { owners: [owner, 'workspace'], lookup: lookups };
  });

describe('cached credentials', () => {
  it('are looked up once for concurrent calls and those shortly afterwards', async () => {
    await Promise.all([ask(), ask()]);
    expect(await ask()).toMatchObject({ lookup: 1 });
    await ask('another token');
    expect(lookups).toBe(2);
  });

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

  it.each(['acme', 'workspace', undefined])(
    'are dropped when their owner changes: %s',
    async (owner) => {
      await ask();
      cache.forget('umbrella');
      await ask();
      expect(lookups).toBe(1);
      cache.forget(owner);
      await ask();
      expect(lookups).toBe(2);
    },
  );

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

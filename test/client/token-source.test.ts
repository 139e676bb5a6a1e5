import { beforeEach, expect, it, vi } from 'vitest';
import { TokenSource } from '../../src/client/token-source.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

const HOUR_MS = 3_600_000;

/** A token that is valid for an hour by the clock of a server that is a day ahead. */
function tokenOfOneHour(n: number): string {
  const iat = Date.now() / 1000 + 86_400;
  const payload = Buffer.from(JSON.stringify({ n, iat, exp: iat + 3_600 })).toString('base64url');
  return `header.${payload}.signature`;
}

it('a token source asks for a new token after four fifths of its life, whatever the clock says', async () => {
  let calls = 0;
  const source = new TokenSource(() => tokenOfOneHour(calls++));
  await source.get();
  vi.advanceTimersByTime(0.79 * HOUR_MS);
  await source.get();
  expect(calls).toBe(1);
  vi.advanceTimersByTime(0.02 * HOUR_MS);
  await source.get();
  expect(calls).toBe(2);
});

/** Asks a source ten times a second for a while. @returns how often it asked the app in this time */
async function asksIn(seconds: number, source: TokenSource, ask: { mock: { calls: unknown[] } }) {
  const before = ask.mock.calls.length;
  for (let tenths = 0; tenths < seconds * 10; tenths++) {
    await Promise.allSettled([source.get(), source.get()]);
    vi.advanceTimersByTime(100);
  }
  return ask.mock.calls.length - before;
}

it('a token source shares a failure, and asks again ever more rarely while there is no token', async () => {
  const ask = vi.fn().mockRejectedValue(new Error('No network.'));
  const source = new TokenSource(ask);
  await expect(source.get()).rejects.toThrow('returned no token: No network.');
  await expect(source.get()).rejects.toThrow('returned no token: No network.');
  expect(ask).toHaveBeenCalledTimes(1);
  expect(await asksIn(3, source, ask)).toBe(1);
  expect(await asksIn(60, source, ask)).toBeLessThanOrEqual(6);
  // In half a minute at most, it takes the token that there is.
  ask.mockResolvedValue('token');
  expect(await asksIn(31, source, ask)).toBe(1);
  expect(await source.get()).toBe('token');
  // After that, it starts again with the shortest wait.
  ask.mockRejectedValue(new Error('No network.'));
  source.discard('token');
  expect(await asksIn(1, source, ask)).toBe(1);
  expect(await asksIn(1, source, ask)).toBe(1);
});

it('a token source asks rarely while the app gives a token that the server refuses', async () => {
  const ask = vi.fn().mockResolvedValue('revoked');
  const source = new TokenSource(ask);
  for (let tenths = 0; tenths < 100; tenths++) {
    source.discard(await source.get());
    vi.advanceTimersByTime(100);
  }
  expect(ask.mock.calls.length).toBeLessThanOrEqual(4);
});

it.each([{ error: 'Sign in first.' }, {}, null, undefined, '', { token: '' }, { token: 5 }])(
  'a token source fails when the app answers %j',
  async (answer) => {
    const source = new TokenSource(() => answer as never);
    await expect(source.get()).rejects.toMatchObject({
      status: 'UNAUTHENTICATED',
      message: 'You are signed out. Sign in to continue.',
      reason: 'SIGNED_OUT',
    });
    source.discard(undefined);
    await expect(source.get()).rejects.toThrow('You are signed out.');
  },
);

it('a token source takes the answer of the token endpoint as it is, and is signed out by 401 and 403', async () => {
  const source = new TokenSource(async () => Response.json({ token: 'of the answer' }));
  expect(await source.get()).toBe('of the answer');
  for (const status of [401, 403]) {
    const refused = new TokenSource(async () => new Response('<h1>Sign in</h1>', { status }));
    await expect(refused.get()).rejects.toMatchObject({ reason: 'SIGNED_OUT' });
  }
});

it.each([404, 503])(
  'a token source keeps its user when the token endpoint fails with %i, and its token while that is valid',
  async (status) => {
    const token = tokenOfOneHour(1);
    const ask = vi.fn().mockResolvedValueOnce(token);
    ask.mockImplementation(async () => Response.json({ message: 'Internal error' }, { status }));
    const said: string[] = [];
    const source = new TokenSource(ask, (state) => said.push(state));
    await source.get();
    vi.advanceTimersByTime(0.9 * HOUR_MS);
    expect(await source.get()).toBe(token);
    expect(await asksIn(60, source, ask)).toBeLessThanOrEqual(6);
    expect(await source.get()).toBe(token);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(0.1 * HOUR_MS);
    await expect(source.get()).rejects.toMatchObject({
      status: 'UNAVAILABLE',
      message: `The app's own server returned no token: it responded with ${status}.`,
    });
    expect(said).toEqual(['unreachable']);
  },
);

it('a token source asks again when the app has not answered for half a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const ask = vi.fn().mockReturnValueOnce(new Promise(() => {}));
  const source = new TokenSource(ask.mockResolvedValue('token'));
  const failed = expect(source.get()).rejects.toThrow('it did not respond within 30 seconds.');
  await vi.advanceTimersByTimeAsync(30_000);
  await failed;
  await vi.advanceTimersByTimeAsync(1_000);
  // Other files of this worker process may have timers.
  const timers = vi.getTimerCount();
  expect(await source.get()).toBe('token');
  expect(vi.getTimerCount()).toBe(timers);
});

it('a token source expects another token until the app gives the refused one again', async () => {
  const tokens = ['one', 'two', 'two'];
  const source = new TokenSource(() => tokens.shift() ?? 'three');
  const refused = await source.get();
  // Several calls may have been sent with it.
  expect([source.discard(refused), source.discard(refused)]).toEqual([true, true]);
  expect(await source.get()).toBe('two');
  expect(source.discard('two')).toBe(true);
  expect(await source.get()).toBe('two');
  expect([source.discard('two'), source.discard('two')]).toEqual([false, false]);
  vi.advanceTimersByTime(10_000);
  expect(await source.get()).toBe('three');
  expect(source.discard('three')).toBe(true);
});

it('a token source says once that the user is signed out, and once that the user is back', async () => {
  const said: string[] = [];
  const ask = vi.fn().mockResolvedValue(null);
  const source = new TokenSource(ask, (state) => said.push(state));
  await asksIn(10, source, ask);
  ask.mockResolvedValue('token');
  source.retry();
  expect(await source.get()).toBe('token');
  await asksIn(5, source, ask);
  expect(said).toEqual(['signedOut', 'given']);
});

it('a token source gives up a valid token when the app says that nobody is signed in', async () => {
  const ask = vi.fn().mockResolvedValueOnce(tokenOfOneHour(1)).mockResolvedValueOnce(null);
  const source = new TokenSource(ask);
  await source.get();
  vi.advanceTimersByTime(0.9 * HOUR_MS);
  await expect(source.get()).rejects.toMatchObject({ reason: 'SIGNED_OUT' });
  ask.mockRejectedValue(new Error('No network.'));
  vi.advanceTimersByTime(60_000);
  await expect(source.get()).rejects.toThrow('No network.');
});

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  addressReader,
  networkOf,
  type TrustProxy,
} from '../../../src/api/credentials/client-address.ts';
import { CredentialCache } from '../../../src/api/credentials/credential-cache.ts';
import { FailedCredentials } from '../../../src/api/credentials/failed-credentials.ts';
import { signUserToken, verifyUserToken } from '../../../src/api/credentials/user-tokens.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { Secrets } from '../../../src/platform/secrets.ts';

/** A request as the last proxy forwards it. */
const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('the client address of a request', () => {
  it.each<[TrustProxy, string, string | undefined, string]>([
    [false, '10.0.0.1', '198.51.100.7', '10.0.0.1'],
    [true, '10.0.0.1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
    [1, '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    [2, '10.0.0.1', '203.0.113.9, 198.51.100.7', '203.0.113.9'],
    [2, '10.0.0.1', undefined, '10.0.0.1'],
    [['10.0.0.0/8'], '10.0.0.1', '203.0.113.9, 198.51.100.7, 10.0.0.3', '198.51.100.7'],
    [['10.0.0.0/8'], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    [true, '10.0.0.1', 'nonsense', '10.0.0.1'],
    [false, '::ffff:127.0.0.1', undefined, '127.0.0.1'],
  ])('with TRUST_PROXY=%s, from %s for %s, is %s', (trust, remote, forwarded, address) => {
    expect(addressReader(trust)(from(remote, forwarded))).toBe(address);
  });

  it('is unknown once the connection is gone', () => {
    expect(addressReader(false)(from(undefined))).toBe('unknown');
    expect(networkOf('unknown')).toBe('unknown');
  });
});

describe('cached credentials', () => {
  let lookups: number;
  let cache: CredentialCache;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    lookups = 0;
    cache = new CredentialCache();
  });
  const ask = () =>
    cache.get('token', async () => {
      lookups++;
      return { owners: ['acme', 'workspace'] };
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

  it('are not cached if they change during their lookup', async () => {
    const first = ask();
    cache.forget('umbrella');
    await Promise.all([first, ask()]);
    expect(lookups).toBe(2);
  });

  it('are not cached if they are wrong', async () => {
    const failing = () => cache.get('token', () => Promise.reject(new Error('It is away.')));
    await cache.get('token', async () => undefined);
    await expect(failing()).rejects.toThrow('away');
    await ask();
    expect(lookups).toBe(1);
  });
});

describe('the count of wrong credentials', () => {
  const denied = new AppError('PERMISSION_DENIED', 'Wrong.');
  let failed: FailedCredentials;
  beforeEach(() => {
    vi.useFakeTimers();
    failed = new FailedCredentials({ perMinute: 1, log: createLogger('silent') });
  });
  const refuse = (address = '198.51.100.7') =>
    failed.refuse({ address, level: 'apiKey', key: 'key' }, denied);

  it('allows further attempts when their time has come', () => {
    expect(refuse()).toBe(denied);
    expect(refuse()).toMatchObject({ retryAfterSeconds: 60 });
    vi.advanceTimersByTime(59_999);
    expect(refuse().http).toBe(429);
    vi.advanceTimersByTime(1);
    expect(refuse()).toBe(denied);
  });

  it('is shared by all addresses of one customer', () => {
    refuse('2001:db8::1');
    expect(refuse('2001:db8::2').http).toBe(429);
    expect(refuse('2001:db8:0:1::2')).toBe(denied);
  });
});

const HOURS_48 = 48 * 60 * 60;
const issuedAt = 1_800_000_000;
const secrets = new Secrets(randomBytes(32));
const user = { tenantId: 'key', userId: 'ada/ü 👩‍🚀', era: '3.epoch' };
const at = (seconds: number) => ({ now: () => seconds * 1000 });
const sign = (by = secrets) => signUserToken(by, at(issuedAt), user);
const verify = (token: string, seconds = issuedAt) => verifyUserToken(secrets, at(seconds), token);

async function expectRefused(token: string, reason = 'TOKEN_INVALID', seconds = issuedAt) {
  const failure = { status: 'PERMISSION_DENIED', details: { reason } };
  await expect(verify(token, seconds)).rejects.toMatchObject(failure);
}

describe('user tokens', () => {
  it('contain nothing that could become outdated', async () => {
    const [, payload = ''] = (await sign()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(Object.keys(claims).sort()).toEqual(['aud', 'era', 'exp', 'iat', 'key', 'sub']);
  });

  it('are refused if another server signed them, and reported as forged if they are expired too', async () => {
    const token = await sign(new Secrets(randomBytes(32)));
    await expectRefused(token);
    await expectRefused(token, 'TOKEN_INVALID', issuedAt + HOURS_48);
  });

  it.each([
    ['an end', (jwt: SignJWT) => jwt.setSubject('ada').setAudience('collaboration')],
    ['a user', (jwt: SignJWT) => jwt.setExpirationTime(issuedAt + 60).setAudience('collaboration')],
    ['our audience', (jwt: SignJWT) => jwt.setSubject('ada').setExpirationTime(issuedAt + 60)],
  ])('are refused without %s', async (_, complete) => {
    const claims = { key: 'key', era: '0.' };
    const jwt = complete(new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }));
    await expectRefused(await jwt.sign(secrets.userTokenKey));
  });

  it('are refused if they were changed, have no signature, or are none', async () => {
    const [head, , signature] = (await sign()).split('.');
    const claims = { key: 'key', era: '0.' };
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url');
    const unsigned = new UnsecuredJWT(claims)
      .setSubject('ada')
      .setAudience('collaboration')
      .setExpirationTime(issuedAt + 60)
      .encode();
    const changed = `${head}.${payload}.${signature}`;
    for (const token of [changed, unsigned, '', 'x', 'a.b.c', '..', 'null']) {
      await expectRefused(token);
    }
  });
});

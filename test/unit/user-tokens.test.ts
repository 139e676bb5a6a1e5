import { randomBytes } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { signUserToken, verifyUserToken } from '../../src/api/user-tokens.ts';
import { Secrets } from '../../src/platform/secrets.ts';

const HOURS_48 = 48 * 60 * 60;
const issuedAt = 1_800_000_000;
const secrets = new Secrets(randomBytes(32));
const user = { tenantId: 'key', userId: 'ada/ü 👩‍🚀' };
const at = (seconds: number) => ({ now: () => seconds * 1000 });
const sign = (by = secrets) => signUserToken(by, at(issuedAt), user);
const verify = (token: string, seconds = issuedAt) => verifyUserToken(secrets, at(seconds), token);

describe('user tokens', () => {
  it('name the key and the user for 48 hours', async () => {
    const claims = { ...user, expiresAt: issuedAt + HOURS_48 };
    const token = await sign();
    expect(await verify(token)).toEqual(claims);
    expect(await verify(token, issuedAt + HOURS_48 - 1)).toEqual(claims);
    expect(await verify(token, issuedAt + HOURS_48)).toBeUndefined();
  });

  it('hold nothing that could go stale', async () => {
    const [, payload = ''] = (await sign()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'key', 'sub']);
  });

  it('name the agent that they are made for', async () => {
    const agent = { agentId: 'reviewer', agentSource: 'internal' as const, name: 'Reviewer' };
    const token = await signUserToken(secrets, at(issuedAt), { ...user, agent });
    expect(await verify(token)).toMatchObject({ ...user, agent });
  });

  it('are worth nothing when another server signed them', async () => {
    expect(await verify(await sign(new Secrets(randomBytes(32))))).toBeUndefined();
  });

  it('are worth nothing when they were changed', async () => {
    const [head, , signature] = (await sign()).split('.');
    const payload = Buffer.from(JSON.stringify({ key: 'key', sub: 'admin' })).toString('base64url');
    expect(await verify(`${head}.${payload}.${signature}`)).toBeUndefined();
  });

  it('are worth nothing without a signature', async () => {
    const token = new UnsecuredJWT({ key: 'key' })
      .setSubject('ada')
      .setAudience('collaboration')
      .setExpirationTime(issuedAt + 60)
      .encode();
    expect(await verify(token)).toBeUndefined();
  });

  it.each([
    ['an end', (jwt: SignJWT) => jwt.setSubject('ada').setAudience('collaboration')],
    ['a user', (jwt: SignJWT) => jwt.setExpirationTime(issuedAt + 60).setAudience('collaboration')],
    ['our audience', (jwt: SignJWT) => jwt.setSubject('ada').setExpirationTime(issuedAt + 60)],
  ])('are worth nothing without %s', async (_, complete) => {
    const jwt = complete(new SignJWT({ key: 'key' }).setProtectedHeader({ alg: 'HS256' }));
    expect(await verify(await jwt.sign(secrets.userTokenKey))).toBeUndefined();
  });

  it.each(['', 'x', 'a.b.c', '..', 'null'])('are not made of %j', async (token) => {
    expect(await verify(token)).toBeUndefined();
  });
});

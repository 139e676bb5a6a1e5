import { randomBytes } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { signUserToken, verifyUserToken } from '../../../src/api/credentials/user-tokens.ts';
import { Secrets } from '../../../src/platform/secrets.ts';

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

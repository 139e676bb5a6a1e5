import { errors, jwtVerify, SignJWT } from 'jose';
import { type Clock, unixSeconds } from '../platform/clock.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { AgentIdentity } from './fields.ts';

/** How long a user token is good for (decisions section 3): 48 hours. */
const LIFETIME_SECONDS = 48 * 60 * 60;
const AUDIENCE = 'collaboration';

/**
 * Whom a user token speaks for. What the user may do is not in it: that is looked up when asked,
 * so that a change takes effect at once.
 */
export interface UserClaims {
  tenantId: string;
  userId: string;
  /** Unix seconds. */
  expiresAt: number;
  /** The agent that the token was made for, and by which alone its user may speak as an agent. */
  agent?: AgentIdentity | undefined;
}

export function signUserToken(
  secrets: Secrets,
  clock: Clock,
  { tenantId, userId, agent }: Omit<UserClaims, 'expiresAt'>,
): Promise<string> {
  const now = unixSeconds(clock);
  return new SignJWT({ key: tenantId, ...(agent && { agent }) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(userId)
    .setAudience(AUDIENCE)
    .setIssuedAt(now)
    .setExpirationTime(now + LIFETIME_SECONDS)
    .sign(secrets.userTokenKey);
}

/** @returns undefined for a token that is not ours, changed, or past its end. */
export async function verifyUserToken(
  secrets: Secrets,
  clock: Clock,
  token: string,
): Promise<UserClaims | undefined> {
  // A token lives through a change of SECRET_KEY, for as long as the previous key is known.
  for (const key of secrets.userTokenKeys) {
    const claims = await verifyWith(key, clock, token);
    if (claims) return claims;
  }
  return undefined;
}

async function verifyWith(
  key: Uint8Array,
  clock: Clock,
  token: string,
): Promise<UserClaims | undefined> {
  try {
    const { payload } = await jwtVerify<{ key: string; agent?: AgentIdentity }>(token, key, {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp', 'key'],
      currentDate: new Date(clock.now()),
    });
    const { key: tenantId, sub: userId = '', exp: expiresAt = 0, agent } = payload;
    return { tenantId, userId, expiresAt, agent };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

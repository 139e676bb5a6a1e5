import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose';
import { type Clock, unixSeconds } from '../../platform/clock.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError, type CredentialsReason } from '../../platform/errors.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AgentIdentity } from '../fields.ts';

const LIFETIME_SECONDS = 48 * 60 * 60;
const AUDIENCE = 'collaboration';

/**
 * The claims of a user token. Permissions are not included but looked up for each request, so that
 * changes take effect at once.
 */
export interface UserClaims {
  tenantId: string;
  userId: string;
  /** The key's token generation and the user's token epoch when the token was issued. It is valid while both are current. */
  era: string;
  /** Unix seconds. */
  expiresAt: number;
  /** The agent of the token. A user whose token has none cannot act as an agent. */
  agent?: AgentIdentity | undefined;
}

export function signUserToken(
  secrets: Secrets,
  clock: Clock,
  { tenantId, userId, era, agent }: Omit<UserClaims, 'expiresAt'>,
): Promise<string> {
  const now = unixSeconds(clock);
  return new SignJWT({ key: tenantId, era, agent })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(userId)
    .setAudience(AUDIENCE)
    .setIssuedAt(now)
    .setExpirationTime(now + LIFETIME_SECONDS)
    .sign(secrets.userTokenKey);
}

/** Returns the expiry of a verified token, in Unix seconds. */
export const expiryOf = (token: string): number => decodeJwt(token).exp ?? 0;

type TokenReason = Exclude<CredentialsReason, 'API_KEY_DISABLED'>;

const MESSAGES: Record<TokenReason, string> = {
  TOKEN_EXPIRED: 'The user token has expired.',
  TOKEN_REVOKED: 'The user token was revoked.',
  TOKEN_INVALID: 'Invalid user token.',
  TICKET_INVALID:
    'The stream ticket is not valid. A ticket opens one subscription, within a minute. Get another with auth.generateStreamTicket.',
};

/** SQL: the current token era of user `u` of key `k`. */
export const currentTokenEra = sql`(k.token_generation || '.' || COALESCE(u.token_epoch::text, ''))`;

export const keyDisabled = (): AppError =>
  new AppError('PERMISSION_DENIED', 'This API key is disabled.', { reason: 'API_KEY_DISABLED' });

export const tokenRefused = (reason: TokenReason, message = MESSAGES[reason]): AppError =>
  new AppError('PERMISSION_DENIED', message, { reason });

/**
 * Verifies the signature and expiry of a token. The era must be checked in the database.
 *
 * @throws PERMISSION_DENIED (TOKEN_EXPIRED, or TOKEN_INVALID for a forged token)
 */
export async function verifyUserToken(
  secrets: Secrets,
  clock: Clock,
  token: string,
): Promise<UserClaims> {
  let reason: TokenReason = 'TOKEN_INVALID';
  // After a change of SECRET_KEY, tokens stay valid as long as the previous key is configured.
  for (const key of secrets.userTokenKeys) {
    const outcome = await verifyWith(key, clock, token);
    if (typeof outcome === 'object') return outcome;
    if (outcome === 'TOKEN_EXPIRED') reason = outcome;
  }
  throw tokenRefused(reason);
}

interface OwnClaims {
  key: string;
  era: string;
  agent?: AgentIdentity;
}

async function verifyWith(
  key: Uint8Array,
  clock: Clock,
  token: string,
): Promise<UserClaims | TokenReason> {
  try {
    const { payload } = await jwtVerify<OwnClaims>(token, key, {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp', 'key', 'era'],
      currentDate: new Date(clock.now()),
    });
    const { key: tenantId, sub: userId = '', era, exp: expiresAt = 0, agent } = payload;
    return { tenantId, userId, era, expiresAt, agent };
  } catch (error) {
    // The signature is verified before the expiry, so the token is genuine.
    if (error instanceof errors.JWTExpired) return 'TOKEN_EXPIRED';
    if (error instanceof errors.JOSEError) return 'TOKEN_INVALID';
    throw error;
  }
}

/** Returns the API key that an unverified token names; empty when it names none. */
export function claimedKey(token: string): string {
  try {
    const { key } = decodeJwt<{ key: unknown }>(token);
    return typeof key === 'string' ? key : '';
  } catch {
    return '';
  }
}

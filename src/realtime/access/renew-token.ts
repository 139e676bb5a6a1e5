import { isDeepStrictEqual } from 'node:util';
import { tokenRefused } from '../../api/credentials/user-tokens.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { connectionsToAll, type LiveConnection } from '../live-connection.ts';
import {
  type AuthenticationDependencies,
  requireKey,
  verifyToken,
} from './authenticate-connection.ts';

/** How long before the expiry of a token its client is first asked for a new one. */
const FIRST_REQUEST_SECONDS = 60;
/** The interval at which a client is asked again. */
const REQUEST_INTERVAL_SECONDS = 15;

/** Asks clients for new tokens before theirs expire. @param now Unix seconds. */
export function requestTokens(documents: Iterable<OpenDocument>, now: number): void {
  for (const connection of connectionsToAll(documents)) {
    const { session } = connection;
    const isDue = now >= session.tokenExpiresAt - FIRST_REQUEST_SECONDS;
    if (!isDue || now < (session.tokenRequestedAt ?? 0) + REQUEST_INTERVAL_SECONDS) continue;
    session.tokenRequestedAt = now;
    connection.requestToken();
  }
}

/**
 * Continues a connection with a newer token of the same user. Any other token changes nothing: the
 * connection then ends when its current token expires.
 */
export async function renewToken(
  deps: AuthenticationDependencies,
  { channel: { name, client }, session }: LiveConnection,
  token: string,
): Promise<void> {
  try {
    const claims = await verifyToken(deps, name, { token, ipAddress: client.ipAddress });
    const isSameUser =
      claims.userId === session.userId && isDeepStrictEqual(claims.agent, session.agent);
    if (!isSameUser) throw tokenRefused('TOKEN_INVALID');
    if (claims.expiresAt <= session.tokenExpiresAt) return;
    await requireKey(deps.db, claims, session.origin);
    session.tokenEra = claims.era;
    session.tokenExpiresAt = claims.expiresAt;
  } catch (error) {
    deps.log.info({ err: error }, 'The new token of an editor was refused.');
  }
}

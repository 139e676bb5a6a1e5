import { isDeepStrictEqual } from 'node:util';
import { tokenRefused } from '../../api/credentials/user-tokens.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { connectionsToAll, type LiveConnection } from '../live-connection.ts';
import {
  type AuthenticationDependencies,
  requireKey,
  verifyToken,
} from './authenticate-connection.ts';

/** How long before the end of its token a client is first asked for another one. */
const ASK_BEFORE_SECONDS = 60;
/** The interval at which a client is asked again. */
const ASK_EVERY_SECONDS = 15;

/** Asks clients for new tokens before theirs end. @param now Unix seconds. */
export function askForTokens(documents: Iterable<OpenDocument>, now: number): void {
  for (const connection of connectionsToAll(documents)) {
    const { session } = connection;
    const isDue = now >= session.tokenExpiresAt - ASK_BEFORE_SECONDS;
    if (!isDue || now < (session.tokenAskedAt ?? 0) + ASK_EVERY_SECONDS) continue;
    session.tokenAskedAt = now;
    connection.requestToken();
  }
}

/**
 * Continues a connection with a newer token of the same user. Any other token changes nothing: the
 * connection then ends with the token that it has.
 */
export async function renewToken(
  deps: AuthenticationDependencies,
  { channel: { name, client }, session }: LiveConnection,
  token: string,
): Promise<void> {
  try {
    const claims = await verifyToken(deps, name, { token, ipAddress: client.ipAddress });
    const isSame =
      claims.userId === session.userId && isDeepStrictEqual(claims.agent, session.agent);
    if (!isSame) throw tokenRefused('TOKEN_INVALID');
    if (claims.expiresAt <= session.tokenExpiresAt) return;
    await requireKey(deps.db, claims, session.origin);
    session.tokenEra = claims.era;
    session.tokenExpiresAt = claims.expiresAt;
  } catch (error) {
    deps.log.info({ err: error }, 'The new token of an editor was refused.');
  }
}

import { sha256 } from '../../platform/secrets.ts';
import { HEADERS, type KeyCredentials } from '../authenticate.ts';
import type { RequestContext } from '../context.ts';
import type { StreamCaller } from './stream-caller.ts';

/** Returns the facts of a request that limit the life of its subscriptions. */
export function callerOf(
  ctx: RequestContext,
  { tenantId, userId, claims }: KeyCredentials,
): StreamCaller {
  const token = userId === undefined ? ctx.header(HEADERS.authToken) : undefined;
  return {
    tenantId,
    userId,
    era: claims?.era,
    tokenEndsAt: claims?.expiresAt,
    tokenHash: token === undefined ? undefined : sha256(token),
    origin: ctx.header('origin'),
  };
}

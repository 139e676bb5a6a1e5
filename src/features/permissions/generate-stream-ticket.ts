import type { RequestContext } from '../../api/context.ts';
import { issueStreamTicket, type StreamTicket } from '../../api/credentials/stream-tickets.ts';
import type { UserClaims } from '../../api/credentials/user-tokens.ts';
import { AppError } from '../../platform/errors.ts';

/**
 * Issues a ticket for the user token of the call.
 *
 * @throws FAILED_PRECONDITION for an API key, which sends its credentials in headers
 */
export function generateStreamTicket(
  ctx: RequestContext & { claims: UserClaims | undefined },
): StreamTicket {
  if (ctx.claims) return issueStreamTicket(ctx, ctx.claims);
  throw new AppError(
    'FAILED_PRECONDITION',
    'A stream ticket stands for a user token: call this as "authorization: Bearer <user token>".',
  );
}

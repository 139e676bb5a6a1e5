import type { KeyContext } from '../../api/context.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';

/**
 * Whom an operation is about that shows people what is theirs: whoever came with a user token, and
 * nobody else to them; to those who came with the API key, whom they name.
 *
 * @throws PERMISSION_DENIED when a user names another one.
 */
export function ownUserId(
  ctx: KeyContext,
  { userId }: { userId?: string | undefined },
): string | undefined {
  if (ctx.userId === undefined) return userId;
  if (userId !== undefined && userId !== ctx.userId) {
    throw new AppError('PERMISSION_DENIED', "A user token is good for its own user's data only.");
  }
  return ctx.userId;
}

/**
 * The same where somebody has to be named.
 *
 * @throws INVALID_ARGUMENT when nobody is.
 */
export function requireOwnUserId(ctx: KeyContext, named: { userId?: string | undefined }): string {
  const userId = ownUserId(ctx, named);
  if (userId !== undefined) return userId;
  const message = 'is required of API keys';
  const details = { issues: [{ path: 'userId', message }] };
  throw invalidArgument(`userId: ${message}.`, { details });
}

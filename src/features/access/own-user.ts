import type { KeyContext } from '../../api/context.ts';
import { AppError, invalidField } from '../../platform/errors.ts';

/**
 * Requires that a caller with a user token names no other user. API keys may name anyone.
 *
 * @throws PERMISSION_DENIED
 */
export function requireOwnUser(ctx: KeyContext, userId: string | undefined): void {
  if (ctx.userId === undefined || userId === undefined || userId === ctx.userId) return;
  throw new AppError('PERMISSION_DENIED', "A user token gives access to its own user's data only.");
}

/**
 * Returns the user whom an operation on personal data is about: the user of the token, or for an API
 * key the user whom the call names, if any.
 *
 * @throws PERMISSION_DENIED if a user names another user
 */
export function ownUserId(
  ctx: KeyContext,
  { userId }: { userId?: string | undefined },
): string | undefined {
  requireOwnUser(ctx, userId);
  return ctx.userId ?? userId;
}

/**
 * Returns the user as `ownUserId` does, for operations that need one.
 *
 * @throws PERMISSION_DENIED if a user names another user; INVALID_ARGUMENT if an API key names none
 */
export function requireOwnUserId(ctx: KeyContext, named: { userId?: string | undefined }): string {
  const userId = ownUserId(ctx, named);
  if (userId !== undefined) return userId;
  throw invalidField('userId', 'is required with an API key');
}

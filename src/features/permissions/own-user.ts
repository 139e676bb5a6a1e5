import type { KeyContext } from '../../api/context.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { accessOfUser } from './require-access.ts';

/**
 * Whom an operation is about that shows people what is theirs: whoever came with a user token, and
 * nobody else to them; to those who came with the API key, whom they name.
 *
 * @throws PERMISSION_DENIED when a user names another one.
 */
export async function ownUserId(
  ctx: KeyContext,
  { organizationId, userId }: { organizationId: string; userId?: string | undefined },
): Promise<string | undefined> {
  if (ctx.userId === undefined) return userId;
  if (userId !== undefined && userId !== ctx.userId) {
    throw new AppError('PERMISSION_DENIED', "A user token is good for its own user's data only.");
  }
  // Who is missing is added, where the key wants that, before anything is decided about them.
  if (ctx.key.requireAutoOrgUser) {
    const { tenantId, key } = ctx;
    await accessOfUser(ctx, { tenantId, userId: ctx.userId, key }, { organizationId });
  }
  return ctx.userId;
}

/**
 * The same where somebody has to be named.
 *
 * @throws INVALID_ARGUMENT when nobody is.
 */
export async function requireOwnUserId(
  ctx: KeyContext,
  named: { organizationId: string; userId?: string | undefined },
): Promise<string> {
  const userId = await ownUserId(ctx, named);
  if (userId !== undefined) return userId;
  const message = 'is required of API keys';
  const details = { issues: [{ path: 'userId', message }] };
  throw invalidArgument(`userId: ${message}.`, { details });
}

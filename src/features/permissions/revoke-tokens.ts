import { z } from 'zod';
import type { KeyContext } from '../../api/context.ts';
import { id } from '../../api/fields.ts';
import { AppError } from '../../platform/errors.ts';
import { endTokens } from '../users/end-tokens.ts';

/** It takes no unknown field: a second user in one would keep the tokens, unnoticed. */
export const RevokeTokens = z.strictObject({ userId: id });

/**
 * Ends all tokens of a user, and what was opened with them. The user keeps all roles.
 *
 * @throws NOT_FOUND for a user who does not exist, and so has no tokens
 */
export async function revokeTokens(
  { db, tenantId }: KeyContext,
  { userId }: z.infer<typeof RevokeTokens>,
): Promise<undefined> {
  const ended = await db.transaction((tx) => endTokens(tx, tenantId, [userId]));
  if (!ended.has(userId)) throw new AppError('NOT_FOUND', 'User does not exist.');
  return undefined;
}

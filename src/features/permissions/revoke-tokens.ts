import { z } from 'zod';
import { outcomesOf } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { id } from '../../api/fields.ts';
import { endTokens } from '../users/end-tokens.ts';

/** Refuses unknown fields: a user named in one would keep their tokens, unnoticed. */
export const RevokeTokens = z.strictObject({ userIds: z.array(id).min(1).max(30) });

/** Ends all tokens of each user, and what was opened with them. The users keep their roles. */
export async function revokeTokens(
  { db, tenantId }: KeyContext,
  { userIds }: z.infer<typeof RevokeTokens>,
) {
  const ended = await db.transaction((tx) => endTokens(tx, tenantId, userIds));
  return outcomesOf(userIds, ended, 'Tokens revoked.', 'User does not exist.');
}

import { sql, type Transaction } from '../../platform/database/database.ts';

/**
 * Revokes all tokens that these users have now. Tokens that are issued later are valid.
 *
 * @returns the ids of the users who exist
 */
export async function endTokens(tx: Transaction, tenantId: string, userIds: string[]) {
  const rows = await tx.query<{ userId: string }>(sql`
    UPDATE users SET token_epoch = gen_random_uuid()
    WHERE tenant_id = ${tenantId} AND user_id = ANY(${userIds}) RETURNING user_id AS "userId"`);
  // When this number changes, every process checks the access of its open connections again.
  if (rows.length > 0) {
    tx.beforeCommit(sql`
      UPDATE api_keys SET token_revocations = token_revocations + 1 WHERE id = ${tenantId}`);
  }
  return new Set(rows.map(({ userId }) => userId));
}

import { sql, type Transaction } from '../../platform/database/database.ts';

/**
 * Users who were deleted altogether follow nothing any more in the organization that they were
 * deleted from: one statement, for all keys. Else a reply would notify them, and so make them users
 * again.
 */
export async function unsubscribeDeleted(
  tx: Transaction,
  deleted: Array<{ tenantId: string; organizationId: string; userId: string }>,
): Promise<void> {
  if (deleted.length === 0) return;
  await tx.query(sql`
    UPDATE annotation_users u /* all tenants */ SET subscription = 'none'
    FROM unnest(${deleted.map((one) => one.tenantId)}::text[],
                ${deleted.map((one) => one.organizationId)}::text[],
                ${deleted.map((one) => one.userId)}::text[])
      AS gone(tenant_id, organization_id, user_id)
    WHERE u.tenant_id = gone.tenant_id AND u.organization_id = gone.organization_id
      AND u.user_id = gone.user_id AND u.subscription IN ('auto', 'manual')
      AND NOT EXISTS (
        SELECT 1 FROM users known
        WHERE known.tenant_id = gone.tenant_id AND known.user_id = gone.user_id)`);
}

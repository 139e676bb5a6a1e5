import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { grantResources, removeGrants } from './grants.ts';
import type { ChangePermissionsInput } from './schema.ts';

/**
 * Grants a user roles on resources. An unknown user is created.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function addPermissions(
  ctx: KeyContext,
  { user: { userId }, permissions }: ChangePermissionsInput,
): Promise<undefined> {
  await ctx.db.transaction(async (tx) => {
    await pipeline([
      // As in every change of grants, the user is locked before the grants.
      tx.query(sql`
        INSERT INTO users (tenant_id, user_id) VALUES (${ctx.tenantId}, ${userId})
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET updated_at = users.updated_at`),
      grantResources(ctx, tx, userId, permissions.resources),
    ]);
  });
}

/** Removes a user's roles on resources. A missing role is not an error. */
export async function removePermissions(
  ctx: KeyContext,
  { user: { userId }, permissions }: ChangePermissionsInput,
): Promise<undefined> {
  await ctx.db.transaction(async (tx) => {
    await tx.query(sql`
      SELECT 1 FROM users
      WHERE tenant_id = ${ctx.tenantId} AND user_id = ${userId} FOR KEY SHARE`);
    await removeGrants(ctx, tx, userId, permissions.resources);
  });
}

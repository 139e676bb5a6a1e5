import { lastOfEach } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { grantResources } from './grant-resources.ts';
import { type GrantRow, permissionEvents } from './permission-events.ts';
import {
  type ChangePermissionsInput,
  organizationOf,
  type ResourceGrant,
  resourceKeyOf,
} from './schema.ts';

/**
 * Grants a user roles on resources. An unknown user is created, as by `generate_token`.
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
    const removed = await deleteGrants(ctx, tx, userId, permissions.resources);
    const events = permissionEvents('permission.remove', userId, removed);
    await ctx.events.append(tx, ctx.tenantId, events);
  });
}

/** Locking rows in the order of ids prevents deadlocks. */
function deleteGrants(
  ctx: KeyContext,
  tx: Transaction,
  userId: string,
  resources: ResourceGrant[],
): Promise<GrantRow[]> {
  const rows = lastOfEach(resources, resourceKeyOf).map((resource) => ({
    resource_type: resource.type,
    resource_id: resource.id,
    organization_id: organizationOf(resource),
  }));
  return tx.query<GrantRow>(sql`
    WITH held AS MATERIALIZED (
      SELECT organization_id, resource_type, resource_id FROM grants
      WHERE tenant_id = ${ctx.tenantId} AND user_id = ${userId}
        AND (organization_id, resource_type, resource_id) IN (
          SELECT organization_id, resource_type, resource_id
          FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS input(
            organization_id text, resource_type text, resource_id text))
      ORDER BY organization_id, resource_type, resource_id FOR UPDATE
    )
    DELETE FROM grants g USING held
    WHERE g.tenant_id = ${ctx.tenantId} AND g.user_id = ${userId}
      AND g.organization_id = held.organization_id AND g.resource_type = held.resource_type
      AND g.resource_id = held.resource_id
    RETURNING g.resource_type AS type, g.resource_id AS id, g.organization_id AS "organizationId",
      g.access_role AS "accessRole", g.expires_at AS "expiresAt", g.context`);
}

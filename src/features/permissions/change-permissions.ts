import { lastOfEach } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { grantResources } from './grant-resources.ts';
import { type GrantRow, permissionEvents } from './permission-events.ts';
import {
  type ChangePermissionsInput,
  organizationOf,
  type ResourceGrant,
  resourceKeyOf,
} from './schema.ts';

/**
 * Gives a user roles on resources. A user who is not known yet is made, as by `generate_token`.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function addPermissions(
  ctx: KeyContext,
  { user: { userId }, permissions }: ChangePermissionsInput,
): Promise<undefined> {
  await ctx.db.transaction(async (tx) => {
    // Who is there is locked, as wherever grants change: the user first, then the grants.
    await tx.query(sql`
      INSERT INTO users (tenant_id, user_id) VALUES (${ctx.tenantId}, ${userId})
      ON CONFLICT (tenant_id, user_id) DO UPDATE SET updated_at = users.updated_at`);
    await grantResources(ctx, tx, userId, permissions.resources);
  });
}

/** Takes a user's roles on resources away, whatever they were; one that is not there is no error. */
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

/** The rows are locked in the order of ids, so that two calls cannot wait for each other. */
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

import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import type { ResourceGrant } from './schema.ts';

/** The organization that a grant's resource belongs to; an organization belongs to itself. */
export const organizationOf = (grant: ResourceGrant): string =>
  grant.type === 'organization' ? grant.id : (grant.organizationId ?? '');

/**
 * Gives a user roles on resources, in two statements. A grant that is given again replaces the one
 * that was there; without a role, the one that was there stays, and a new one is `editor`.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function grantResources(
  ctx: KeyContext,
  tx: Transaction,
  userId: string,
  grants: ResourceGrant[],
): Promise<void> {
  if (grants.length === 0) return;
  const rows = JSON.stringify(
    grants.map((grant, position) => ({
      position,
      resource_type: grant.type,
      resource_id: grant.id,
      organization_id: organizationOf(grant),
      access_role: grant.accessRole,
      expires_at: grant.expiresAt,
      context: grant.context?.access,
    })),
  );
  await requireResources(ctx, tx, rows);
  await tx.query(sql`
    INSERT INTO grants AS g
      (tenant_id, organization_id, resource_type, resource_id, user_id, access_role, expires_at, context)
    SELECT DISTINCT ON (organization_id, resource_type, resource_id)
      ${ctx.tenantId}, organization_id, resource_type, resource_id, ${userId},
      COALESCE(access_role, (
        SELECT old.access_role FROM grants old
        WHERE old.tenant_id = ${ctx.tenantId} AND old.organization_id = input.organization_id
          AND old.resource_type = input.resource_type AND old.resource_id = input.resource_id
          AND old.user_id = ${userId}), 'editor'),
      expires_at, context
    FROM jsonb_to_recordset(${rows}::jsonb) AS input(position int, organization_id text,
      resource_type text, resource_id text, access_role text, expires_at bigint, context jsonb)
    ORDER BY organization_id, resource_type, resource_id, position DESC
    ON CONFLICT (tenant_id, organization_id, resource_type, resource_id, user_id) DO UPDATE SET
      access_role = excluded.access_role, expires_at = excluded.expires_at,
      context = excluded.context`);
}

/** Refuses when one of the resources does not exist. */
async function requireResources(ctx: KeyContext, tx: Transaction, rows: string): Promise<void> {
  const [missing] = await tx.query<{ type: ResourceGrant['type']; id: string }>(sql`
    SELECT resource_type AS type, resource_id AS id
    FROM jsonb_to_recordset(${rows}::jsonb) AS input(
      position int, organization_id text, resource_type text, resource_id text)
    WHERE NOT CASE resource_type
      WHEN 'organization' THEN EXISTS (
        SELECT 1 FROM organizations o
        WHERE o.tenant_id = ${ctx.tenantId} AND o.organization_id = resource_id)
      WHEN 'folder' THEN EXISTS (
        SELECT 1 FROM folders f
        WHERE f.tenant_id = ${ctx.tenantId} AND f.organization_id = input.organization_id
          AND f.folder_id = resource_id)
      ELSE EXISTS (
        SELECT 1 FROM documents d
        WHERE d.tenant_id = ${ctx.tenantId} AND d.organization_id = input.organization_id
          AND d.document_id = resource_id)
      END
    ORDER BY position LIMIT 1`);
  if (!missing) return;
  throw invalidArgument(`The ${missing.type} ${missing.id} does not exist.`, {
    reason: `${missing.type}_not_found`,
  });
}

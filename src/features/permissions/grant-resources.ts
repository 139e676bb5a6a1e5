import { lastOfEach } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { isActiveGrant } from '../access/active-grant.ts';
import { placeNotFound } from '../access/place-not-found.ts';
import { type GrantRow, permissionEvents } from './permission-events.ts';
import { rejectPendingDeletion } from './reject-pending-deletion.ts';
import { organizationOf, type ResourceGrant, resourceKeyOf } from './schema.ts';

/**
 * Grants a user roles on resources and publishes `permission.add`, in five statements. A new grant
 * replaces an old one. If no role is given, the old role is kept, or the key's default is used.
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
    lastOfEach(grants, resourceKeyOf).map((grant, position) => ({
      position,
      resource_type: grant.type,
      resource_id: grant.id,
      organization_id: organizationOf(grant),
      access_role: grant.accessRole,
      expires_at: grant.expiresAt,
      context: grant.context?.access,
    })),
  );
  const [, , granted] = await pipeline([
    lockResources(ctx, tx, rows),
    rejectPendingDeletion(tx, ctx.tenantId, grants),
    insertGrants(ctx, tx, userId, rows),
  ]);
  const events = permissionEvents('permission.add', userId, granted);
  await ctx.events.append(tx, ctx.tenantId, events);
}

/** The role of an expired grant is not kept. */
function insertGrants(ctx: KeyContext, tx: Transaction, userId: string, rows: string) {
  return tx.query<GrantRow>(sql`
    INSERT INTO grants AS g
      (tenant_id, organization_id, resource_type, resource_id, user_id, access_role, expires_at, context)
    SELECT ${ctx.tenantId}, input.organization_id, input.resource_type, input.resource_id, ${userId},
      COALESCE(input.access_role, old.access_role, ${ctx.key.defaultAccessRole}), input.expires_at, input.context
    FROM jsonb_to_recordset(${rows}::jsonb) AS input(organization_id text, resource_type text,
      resource_id text, access_role text, expires_at bigint, context jsonb)
    LEFT JOIN grants old
      ON old.tenant_id = ${ctx.tenantId} AND old.organization_id = input.organization_id
      AND old.resource_type = input.resource_type AND old.resource_id = input.resource_id
      AND old.user_id = ${userId}
      AND ${isActiveGrant(sql`old`, ctx.clock)}
    ORDER BY input.organization_id, input.resource_type, input.resource_id
    ON CONFLICT (tenant_id, organization_id, resource_type, resource_id, user_id) DO UPDATE SET
      access_role = excluded.access_role, expires_at = excluded.expires_at,
      context = excluded.context
    RETURNING resource_type AS type, resource_id AS id, organization_id AS "organizationId",
      access_role AS "accessRole", expires_at AS "expiresAt", context`);
}

/**
 * Locks the resources against deletion, and refuses missing ones: a grant that outlived its
 * document would apply to the next document with the same id. Organizations are locked first, as in
 * their deletion.
 */
async function lockResources(ctx: KeyContext, tx: Transaction, rows: string): Promise<void> {
  const [missing] = await tx.query<{ type: ResourceGrant['type']; id: string }>(sql`
    WITH input AS (
      SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS input(
        position int, organization_id text, resource_type text, resource_id text)
    ), locked_organizations AS (
      SELECT o.organization_id FROM organizations o
      WHERE o.tenant_id = ${ctx.tenantId}
        AND o.organization_id IN (SELECT organization_id FROM input)
      ORDER BY o.organization_id FOR KEY SHARE
    ), locked_folders AS (
      SELECT f.organization_id, f.folder_id FROM folders f
      WHERE f.tenant_id = ${ctx.tenantId} AND (f.organization_id, f.folder_id) IN (
        SELECT organization_id, resource_id FROM input WHERE resource_type = 'folder')
      ORDER BY f.organization_id, f.folder_id FOR KEY SHARE
    ), locked_documents AS (
      SELECT d.organization_id, d.document_id FROM documents d
      WHERE d.tenant_id = ${ctx.tenantId} AND (d.organization_id, d.document_id) IN (
        SELECT organization_id, resource_id FROM input WHERE resource_type = 'document')
      ORDER BY d.organization_id, d.document_id FOR KEY SHARE
    ), found AS (
      SELECT 'organization' AS type, organization_id, organization_id AS id FROM locked_organizations
      UNION ALL SELECT 'folder', organization_id, folder_id FROM locked_folders
      UNION ALL SELECT 'document', organization_id, document_id FROM locked_documents
    )
    SELECT resource_type AS type, resource_id AS id
    FROM input
    WHERE NOT EXISTS (
      SELECT 1 FROM found WHERE found.type = resource_type
        AND found.organization_id = input.organization_id AND found.id = resource_id)
    ORDER BY position LIMIT 1`);
  if (missing) throw placeNotFound(missing.type, missing.id);
}

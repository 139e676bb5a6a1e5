import { mergeItems } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { AccessRole } from '../../api/fields.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { isActiveGrant } from '../access/active-grant.ts';
import { ensureMembership } from '../access/ensure-membership.ts';
import { chainsFrom } from '../access/folder-chains.ts';
import { placeBeingDeleted, placeNotFound, type ResourceRef } from '../access/places.ts';
import { organizationOf, type ResourceGrant, resourceKeyOf } from './schema.ts';

interface GrantRow extends Pick<ResourceGrant, 'type' | 'id'> {
  organizationId: string;
  accessRole: AccessRole;
  expiresAt: string | null;
  context: Record<string, string[]> | null;
}

const columns = sql`
  g.resource_type AS type, g.resource_id AS id, g.organization_id AS "organizationId",
  g.access_role AS "accessRole", g.expires_at AS "expiresAt", g.context`;

/**
 * Returns the grants as JSON, for the rows of a statement. Several grants on one resource are merged, so that
 * a grant without an expiry or a context does not remove the expiry or the context of another one.
 */
const toJsonRows = (grants: ResourceGrant[]): string =>
  JSON.stringify(
    mergeItems(grants, resourceKeyOf).map((grant, position) => ({
      position,
      resource_type: grant.type,
      resource_id: grant.id,
      organization_id: organizationOf(grant),
      access_role: grant.accessRole,
      expires_at: grant.expiresAt,
      context: grant.context?.access,
    })),
  );

/**
 * Grants a user roles on resources and publishes `permission.add`. A new grant replaces an old
 * one. If no role is given, the old role is kept, or the key's default is used; the role
 * of an expired grant is not kept.
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
  const [, granted] = await pipeline([
    lockResources(ctx, tx, grants),
    tx.query<GrantRow>(sql`
      INSERT INTO grants AS g
        (tenant_id, organization_id, resource_type, resource_id, user_id, access_role, expires_at, context)
      SELECT ${ctx.tenantId}, input.organization_id, input.resource_type, input.resource_id, ${userId},
        COALESCE(input.access_role, old.access_role, ${ctx.key.defaultAccessRole}), input.expires_at, input.context
      FROM jsonb_to_recordset(${toJsonRows(grants)}::jsonb) AS input(organization_id text,
        resource_type text, resource_id text, access_role text, expires_at bigint, context jsonb)
      LEFT JOIN grants old
        ON old.tenant_id = ${ctx.tenantId} AND old.organization_id = input.organization_id
        AND old.resource_type = input.resource_type AND old.resource_id = input.resource_id
        AND old.user_id = ${userId}
        AND ${isActiveGrant(sql`old`, ctx.clock)}
      ORDER BY input.organization_id, input.resource_type, input.resource_id
      ON CONFLICT (tenant_id, organization_id, resource_type, resource_id, user_id) DO UPDATE SET
        access_role = excluded.access_role, expires_at = excluded.expires_at,
        context = excluded.context
      RETURNING ${columns}`),
  ]);
  await publish(ctx, tx, 'permission.add', userId, granted);
}

/**
 * Removes a user's roles on resources and publishes `permission.remove`. A missing role is not an error.
 * Locking rows in the order of ids prevents deadlocks.
 */
export async function removeGrants(
  ctx: KeyContext,
  tx: Transaction,
  userId: string,
  grants: ResourceGrant[],
): Promise<void> {
  const removed = await tx.query<GrantRow>(sql`
    WITH locked AS MATERIALIZED (
      SELECT organization_id, resource_type, resource_id FROM grants
      WHERE tenant_id = ${ctx.tenantId} AND user_id = ${userId}
        AND (organization_id, resource_type, resource_id) IN (
          SELECT organization_id, resource_type, resource_id
          FROM jsonb_to_recordset(${toJsonRows(grants)}::jsonb) AS input(
            organization_id text, resource_type text, resource_id text))
      ORDER BY organization_id, resource_type, resource_id FOR UPDATE
    )
    DELETE FROM grants g USING locked
    WHERE g.tenant_id = ${ctx.tenantId} AND g.user_id = ${userId}
      AND g.organization_id = locked.organization_id AND g.resource_type = locked.resource_type
      AND g.resource_id = locked.resource_id
    RETURNING ${columns}`);
  await publish(ctx, tx, 'permission.remove', userId, removed);
}

/**
 * Publishes one event for each grant, in the organization of its resource, where readers of events expect it.
 */
function publish(
  { events, tenantId }: KeyContext,
  tx: Transaction,
  type: 'permission.add' | 'permission.remove',
  userId: string,
  grants: GrantRow[],
): Promise<void> {
  const changes = grants.map(({ expiresAt, context, ...grant }): NewEvent => {
    const { organizationId } = grant;
    // A grant is presented in the form of the input.
    const presented: ResourceGrant = {
      ...grant,
      ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
      ...(context !== null && { context: { access: context } }),
    };
    const channel = `${grant.type}:${grant.id}`;
    return {
      type,
      organizationId,
      ...(grant.type === 'document' && { documentId: grant.id }),
      channels: [...new Set([`organization:${organizationId}`, channel, `user:${userId}`])],
      data: { user: { userId }, permissions: { resources: [presented] } },
    };
  });
  return events.append(tx, tenantId, changes);
}

/**
 * Adds a user, with the key's default role, to the organizations that are named when a user token is issued,
 * if the key has `requireAutoOrgUser`. Using a token adds nobody, so that a removed user does not return
 * with an older token.
 *
 * @throws INVALID_ARGUMENT (organization_not_found)
 */
export async function joinOrganizations(
  ctx: KeyContext,
  tx: Transaction,
  userId: string,
  organizationIds: string[],
): Promise<void> {
  if (!ctx.key.requireAutoOrgUser || organizationIds.length === 0) return;
  const organizations = organizationIds.map((id) => ({ type: 'organization' as const, id }));
  await lockResources(ctx, tx, organizations);
  await ensureMembership(ctx, tx, organizationIds, [userId]);
}

/**
 * Locks resources against deletion. Refuses missing ones, since a grant on a missing document would apply to
 * the next document with the same id. Also refuses resources that a background job is deleting. Once the
 * resources are locked, no deletion can begin.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
async function lockResources({ tenantId }: KeyContext, tx: Transaction, grants: ResourceGrant[]) {
  const rows = toJsonRows(grants);
  const [[missing], [beingDeleted]] = await pipeline([
    lockAndFindMissing(tx, tenantId, rows),
    findBeingDeleted(tx, tenantId, rows),
  ]);
  if (missing) throw placeNotFound(missing.type, missing.id);
  if (beingDeleted) throw placeBeingDeleted(beingDeleted.type, beingDeleted.id);
}

/** Locks the resources and returns the first one that is missing. Organizations are locked first, as in deletions. */
const lockAndFindMissing = (tx: Transaction, tenantId: string, rows: string) =>
  tx.query<ResourceRef>(sql`
    WITH input AS (
      SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS input(
        position int, organization_id text, resource_type text, resource_id text)
    ), locked_organizations AS (
      SELECT o.organization_id FROM organizations o
      WHERE o.tenant_id = ${tenantId}
        AND o.organization_id IN (SELECT organization_id FROM input)
      ORDER BY o.organization_id FOR KEY SHARE
    ), locked_folders AS (
      SELECT f.organization_id, f.folder_id FROM folders f
      WHERE f.tenant_id = ${tenantId} AND (f.organization_id, f.folder_id) IN (
        SELECT organization_id, resource_id FROM input WHERE resource_type = 'folder')
      ORDER BY f.organization_id, f.folder_id FOR KEY SHARE
    ), locked_documents AS (
      SELECT d.organization_id, d.document_id FROM documents d
      WHERE d.tenant_id = ${tenantId} AND (d.organization_id, d.document_id) IN (
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

/** Finds a resource that is being deleted with its organization, with its own folder, or with one above it. */
const findBeingDeleted = (tx: Transaction, tenantId: string, rows: string) =>
  tx.query<ResourceRef>(sql`
    WITH RECURSIVE placed AS (
      SELECT resource_type AS type, resource_id AS id, organization_id,
             CASE resource_type WHEN 'folder' THEN resource_id WHEN 'document' THEN (
               SELECT folder_id FROM documents
               WHERE tenant_id = ${tenantId} AND organization_id = input.organization_id
                 AND document_id = resource_id
             ) END AS folder_id
      FROM jsonb_to_recordset(${rows}::jsonb)
        AS input(resource_type text, resource_id text, organization_id text)
    ), ${chainsFrom(tenantId, sql`SELECT DISTINCT organization_id, folder_id FROM placed`)}
    SELECT type, id FROM placed
    WHERE (SELECT is_being_deleted FROM organizations
           WHERE tenant_id = ${tenantId} AND organization_id = placed.organization_id)
      OR (organization_id, folder_id) IN (
        SELECT organization_id, start_id FROM chain WHERE is_being_deleted)
    LIMIT 1`);

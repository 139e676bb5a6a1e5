import { type Queryable, sql } from '../../platform/database/database.ts';
import { placeBeingDeleted } from '../access/place-not-found.ts';
import { organizationOf, type ResourceGrant } from './schema.ts';

/**
 * Refuses grants on resources that a background job is deleting, directly or with a folder or the
 * organization above them.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function rejectPendingDeletion(
  db: Queryable,
  tenantId: string,
  grants: ResourceGrant[],
): Promise<void> {
  const resources = grants.map((grant) => ({
    type: grant.type,
    id: grant.id,
    organization_id: organizationOf(grant),
  }));
  const [refused] = await db.query<Pick<ResourceGrant, 'type' | 'id'>>(sql`
    WITH RECURSIVE input AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(resources)}::jsonb)
        AS input(type text, id text, organization_id text)
    ), placed AS (
      SELECT type, id, organization_id, id AS folder_id FROM input WHERE type = 'folder'
      UNION
      SELECT type, id, organization_id, folder_id
      FROM input JOIN documents d USING (organization_id)
      WHERE type = 'document' AND d.tenant_id = ${tenantId} AND d.document_id = id
        AND folder_id IS NOT NULL
    ), above AS (
      SELECT DISTINCT organization_id, folder_id AS start_id, folder_id FROM placed
      UNION
      SELECT above.organization_id, above.start_id, f.parent_folder_id
      FROM above CROSS JOIN LATERAL (
        SELECT parent_folder_id FROM folders
        WHERE tenant_id = ${tenantId} AND organization_id = above.organization_id
          AND folder_id = above.folder_id AND parent_folder_id IS NOT NULL
        OFFSET 0
      ) AS f
    )
    SELECT type, id FROM input JOIN organizations o USING (organization_id)
    WHERE o.tenant_id = ${tenantId} AND o.is_being_deleted
    UNION ALL
    SELECT placed.type, placed.id
    FROM placed JOIN above USING (organization_id)
    JOIN folders f ON f.organization_id = above.organization_id AND f.folder_id = above.folder_id
    WHERE above.start_id = placed.folder_id AND f.tenant_id = ${tenantId} AND f.is_being_deleted
    LIMIT 1`);
  if (refused) throw placeBeingDeleted(refused.type, refused.id);
}

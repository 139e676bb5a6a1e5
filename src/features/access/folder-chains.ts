import type { AccessType } from '../../api/fields.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';

export const MAX_FOLDER_DEPTH = 100;

export interface ChainLink {
  folderId: string;
  accessType: AccessType | null;
}

export interface StoredLink extends ChainLink {
  /** Whether a job is deleting the folder, with everything below it. */
  isBeingDeleted: boolean;
}

/** Chains by the folder with which they begin. */
export type FolderChains = Map<string, StoredLink[]>;

/**
 * Loads the chain of each existing folder, by one statement: the folder itself and those above it, nearest
 * first.
 */
export async function loadFolderChains(
  db: Queryable,
  tenantId: string,
  organizationId: string,
  folderIds: Iterable<string>,
): Promise<FolderChains> {
  const folders = [...new Set(folderIds)].map((folderId) => ({ organizationId, folderId }));
  const chains = await loadFolderChainsAcross(db, tenantId, folders);
  return chains.get(organizationId) ?? new Map();
}

/**
 * Loads the chains of folders of several organizations, by organization and folder.
 *
 * OFFSET 0 keeps PostgreSQL from choosing a join that reads every folder of the organization at
 * each level: it plans for an organization of average size, and this may be the largest.
 */
export async function loadFolderChainsAcross(
  db: Queryable,
  tenantId: string,
  folders: Array<{ organizationId: string; folderId: string }>,
): Promise<Map<string, FolderChains>> {
  if (folders.length === 0) return new Map();
  const organizationIds = folders.map((folder) => folder.organizationId);
  const folderIds = folders.map((folder) => folder.folderId);
  const rows = await db.query<StoredLink & { organizationId: string; startId: string }>(sql`
    WITH RECURSIVE chain AS (
      SELECT organization_id, folder_id AS start_id, folder_id, parent_folder_id, access_type,
             is_being_deleted, 0 AS distance
      FROM (SELECT DISTINCT * FROM unnest(${organizationIds}::text[], ${folderIds}::text[])) AS start(organization, id)
      CROSS JOIN LATERAL (
        SELECT * FROM folders
        WHERE tenant_id = ${tenantId} AND organization_id = start.organization AND folder_id = start.id
        OFFSET 0
      ) AS f
      UNION ALL
      SELECT chain.organization_id, chain.start_id, f.*, chain.distance + 1
      FROM chain CROSS JOIN LATERAL (
        SELECT folder_id, parent_folder_id, access_type, is_being_deleted FROM folders
        WHERE tenant_id = ${tenantId} AND organization_id = chain.organization_id
          AND folder_id = chain.parent_folder_id
        OFFSET 0
      ) AS f
      WHERE chain.distance < ${MAX_FOLDER_DEPTH}
    )
    SELECT organization_id AS "organizationId", start_id AS "startId", folder_id AS "folderId",
           access_type AS "accessType", is_being_deleted AS "isBeingDeleted"
    FROM chain ORDER BY distance`);
  const byOrganization = Map.groupBy(rows, (row) => row.organizationId);
  return new Map(
    [...byOrganization].map(([id, links]) => [id, Map.groupBy(links, ({ startId }) => startId)]),
  );
}

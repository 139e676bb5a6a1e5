import type { AccessType } from '../../api/fields.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';

/** The greatest depth of folders. */
export const MAX_FOLDER_DEPTH = 100;

export const folderNotFound = () =>
  invalidArgument('The folder does not exist. Add it first: folders.add.', {
    reason: 'folder_not_found',
  });

export interface ChainLink {
  folderId: string;
  accessType: AccessType | null;
}

/** A folder as it is stored. */
export interface StoredLink extends ChainLink {
  /** Whether a job is deleting the folder, with everything below it. */
  isBeingDeleted: boolean;
}

/**
 * For each existing folder, the folder itself and those above it, nearest first, in one statement.
 *
 * OFFSET 0 keeps PostgreSQL from choosing a join that reads every folder of the organization at
 * each level: it plans for an organization of average size, and this may be the largest.
 */
export async function loadFolderChains(
  db: Queryable,
  tenantId: string,
  organizationId: string,
  folderIds: Iterable<string>,
): Promise<Map<string, StoredLink[]>> {
  const wanted = [...new Set(folderIds)];
  if (wanted.length === 0) return new Map();
  const rows = await db.query<StoredLink & { startId: string }>(sql`
    WITH RECURSIVE chain AS (
      SELECT folder_id AS start_id, folder_id, parent_folder_id, access_type, is_being_deleted,
             0 AS distance
      FROM folders
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND folder_id = ANY(${wanted})
      UNION ALL
      SELECT chain.start_id, f.folder_id, f.parent_folder_id, f.access_type, f.is_being_deleted,
             chain.distance + 1
      FROM chain CROSS JOIN LATERAL (
        SELECT * FROM folders
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND folder_id = chain.parent_folder_id
        OFFSET 0
      ) AS f
      WHERE chain.distance < ${MAX_FOLDER_DEPTH}
    )
    SELECT start_id AS "startId", folder_id AS "folderId", access_type AS "accessType",
           is_being_deleted AS "isBeingDeleted"
    FROM chain ORDER BY start_id, distance`);
  return Map.groupBy(rows, ({ startId }) => startId);
}

/** The same for folders of several organizations, in one statement, by organization and folder. */
export async function loadFolderChainsAcross(
  db: Queryable,
  tenantId: string,
  folders: Array<{ organizationId: string; folderId: string }>,
): Promise<Map<string, Map<string, ChainLink[]>>> {
  if (folders.length === 0) return new Map();
  const organizationIds = folders.map((folder) => folder.organizationId);
  const folderIds = folders.map((folder) => folder.folderId);
  const rows = await db.query<ChainLink & { organizationId: string; startId: string }>(sql`
    WITH RECURSIVE wanted AS (
      SELECT DISTINCT * FROM unnest(${organizationIds}::text[], ${folderIds}::text[])
        AS named(organization_id, folder_id)
    ), chain AS (
      SELECT f.organization_id, f.folder_id AS start_id, f.folder_id, f.parent_folder_id,
             f.access_type, 0 AS distance
      FROM wanted JOIN folders f ON f.tenant_id = ${tenantId}
        AND f.organization_id = wanted.organization_id AND f.folder_id = wanted.folder_id
      UNION ALL
      SELECT chain.organization_id, chain.start_id, f.folder_id, f.parent_folder_id, f.access_type,
             chain.distance + 1
      FROM chain CROSS JOIN LATERAL (
        SELECT * FROM folders
        WHERE tenant_id = ${tenantId} AND organization_id = chain.organization_id
          AND folder_id = chain.parent_folder_id
        OFFSET 0
      ) AS f
      WHERE chain.distance < ${MAX_FOLDER_DEPTH}
    )
    SELECT organization_id AS "organizationId", start_id AS "startId", folder_id AS "folderId",
           access_type AS "accessType"
    FROM chain ORDER BY organization_id, start_id, distance`);
  const byOrganization = Map.groupBy(rows, (row) => row.organizationId);
  return new Map(
    [...byOrganization].map(([id, links]) => [id, Map.groupBy(links, ({ startId }) => startId)]),
  );
}

/** The same for folders that were loaded already. */
export function chainsOf(
  folders: ReadonlyArray<ChainLink & { parentFolderId: string | null }>,
): Map<string, ChainLink[]> {
  const byId = new Map(folders.map((folder) => [folder.folderId, folder]));
  const chainOf = (folderId: string): ChainLink[] => {
    const chain: ChainLink[] = [];
    for (let at = byId.get(folderId); at; at = byId.get(at.parentFolderId ?? '')) chain.push(at);
    return chain;
  };
  return new Map(folders.map(({ folderId }) => [folderId, chainOf(folderId)]));
}

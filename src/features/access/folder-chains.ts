import type { AccessType } from '../../api/fields.ts';
import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';

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
 * Loads the chain of each existing folder with one statement: the folder itself and those above it, nearest
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
 * SQL for a recursive table `chain`. For each folder of `starts` (organization_id, folder_id), it has the rows
 * of that folder and of all folders above it, with the id of that folder as `start_id`.
 */
export function chainsFrom(tenantId: string, starts: Sql): Sql {
  // OFFSET 0 keeps PostgreSQL from choosing a join that reads every folder of the organization at each
  // level: it plans for an organization of average size, but this one may be much larger.
  const folder = (organizationId: Sql, folderId: Sql) => sql`
    LATERAL (
      SELECT organization_id, folder_id, parent_folder_id, access_type, is_being_deleted FROM folders
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId} AND folder_id = ${folderId}
      OFFSET 0
    ) AS f`;
  return sql`
    chain AS (
      SELECT f.folder_id AS start_id, 0 AS distance, f.*
      FROM (${starts}) AS start
      CROSS JOIN ${folder(sql`start.organization_id`, sql`start.folder_id`)}
      UNION ALL
      SELECT chain.start_id, chain.distance + 1, f.*
      FROM chain CROSS JOIN ${folder(sql`chain.organization_id`, sql`chain.parent_folder_id`)}
      WHERE chain.distance < ${MAX_FOLDER_DEPTH}
    )`;
}

/** Loads the chains of folders of several organizations, by organization and folder. */
export async function loadFolderChainsAcross(
  db: Queryable,
  tenantId: string,
  folders: Array<{ organizationId: string; folderId: string }>,
): Promise<Map<string, FolderChains>> {
  if (folders.length === 0) return new Map();
  const organizationIds = folders.map((folder) => folder.organizationId);
  const folderIds = folders.map((folder) => folder.folderId);
  const starts = sql`
    SELECT DISTINCT * FROM unnest(${organizationIds}::text[], ${folderIds}::text[])
      AS start(organization_id, folder_id)`;
  const rows = await db.query<StoredLink & { organizationId: string; startId: string }>(sql`
    WITH RECURSIVE ${chainsFrom(tenantId, starts)}
    SELECT organization_id AS "organizationId", start_id AS "startId", folder_id AS "folderId",
           access_type AS "accessType", is_being_deleted AS "isBeingDeleted"
    FROM chain ORDER BY distance`);
  const byOrganization = Map.groupBy(rows, (row) => row.organizationId);
  return new Map(
    [...byOrganization].map(([id, links]) => [id, Map.groupBy(links, ({ startId }) => startId)]),
  );
}

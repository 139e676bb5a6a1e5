import type { AccessType } from '../../api/fields.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';

/** How deep folders may be nested. */
export const MAX_FOLDER_DEPTH = 100;

export const folderNotFound = () =>
  invalidArgument('The folder does not exist.', { reason: 'folder_not_found' });

export interface ChainLink {
  folderId: string;
  accessType: AccessType | null;
}

/**
 * For each folder that exists, itself and the folders above it, nearest first: one statement,
 * however many folders and however deep.
 */
export async function loadFolderChains(
  db: Queryable,
  tenantId: string,
  organizationId: string,
  folderIds: Iterable<string>,
): Promise<Map<string, ChainLink[]>> {
  const chains = new Map<string, ChainLink[]>();
  const wanted = [...new Set(folderIds)];
  if (wanted.length === 0) return chains;
  const rows = await db.query<ChainLink & { startId: string }>(sql`
    WITH RECURSIVE chain AS (
      SELECT folder_id AS start_id, folder_id, parent_folder_id, access_type, 0 AS distance
      FROM folders
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND folder_id = ANY(${wanted})
      UNION ALL
      SELECT chain.start_id, f.folder_id, f.parent_folder_id, f.access_type, chain.distance + 1
      FROM chain JOIN folders f
        ON f.tenant_id = ${tenantId} AND f.organization_id = ${organizationId}
       AND f.folder_id = chain.parent_folder_id
      WHERE chain.distance < ${MAX_FOLDER_DEPTH}
    )
    SELECT start_id AS "startId", folder_id AS "folderId", access_type AS "accessType"
    FROM chain ORDER BY start_id, distance`);
  for (const { startId, folderId, accessType } of rows) {
    const chain = chains.get(startId);
    if (chain) chain.push({ folderId, accessType });
    else chains.set(startId, [{ folderId, accessType }]);
  }
  return chains;
}

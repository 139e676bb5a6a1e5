import type { KeyContext } from '../../../api/context.ts';
import { readPage } from '../../../api/paging.ts';
import { type Sql, sql } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { type ChainLink, loadFolderChains } from '../../access/folder-chains.ts';
import { placeNotFound } from '../../access/places.ts';
import { requireReadableOrganization } from '../organizations/organizations.ts';
import { FOLDERS, type FolderRow, presentFolder } from './folders.ts';
import type { GetFoldersInput, PresentedFolder } from './schema.ts';

/** Subfolders are not divided into pages, so their number is limited. */
const MAX_SUBFOLDERS = 10_000;

/** A folder of the page, which has level 0, or a folder below it. */
interface LevelRow extends FolderRow {
  level: number;
}

/** Returns one folder, or a page of the root folders, with the folders below them down to maxDepth. */
export async function getFolders(ctx: KeyContext, input: GetFoldersInput) {
  const { organizationId, folderId, maxDepth, pageSize, pageToken } = input;
  const filters = { organizationId, folderId, maxDepth };
  const query = { operation: 'folders.get', filters, pageSize, pageToken };
  let childrenByParent: ChildrenByParent = new Map();
  const { rows, nextPageToken } = await readPage(
    ctx,
    query,
    [FOLDERS.idColumn, FOLDERS.idOf],
    async (endOfQuery) => {
      await requireReadableOrganization(ctx.db, ctx.tenantId, organizationId);
      const found = await ctx.db.query<LevelRow>(foldersWithSubfolders(ctx, input, endOfQuery));
      const subfolders = found.filter(({ level }) => level > 0);
      requireFewSubfolders(subfolders);
      childrenByParent = Map.groupBy(subfolders, (row) => row.parentFolderId);
      return found.filter(({ level }) => level === 0);
    },
  );
  if (folderId !== undefined && rows.length === 0) throw placeNotFound('folder');
  const parentIds = rows.flatMap((row) => row.parentFolderId ?? []);
  const chains = await loadFolderChains(ctx.db, ctx.tenantId, organizationId, parentIds);
  const data = rows.map((row) =>
    nest(row, chains.get(row.parentFolderId ?? '') ?? [], childrenByParent, maxDepth),
  );
  return { data, nextPageToken };
}

/**
 * SQL: the named folder, or a page of the root folders and the first folder of the next page, with the folders
 * below the page. A single statement reads them all, so that a folder that is being moved appears once. OFFSET 0
 * makes PostgreSQL look up each level by the index, as in `chainsFrom`.
 */
function foldersWithSubfolders(
  { tenantId }: KeyContext,
  { organizationId, folderId, maxDepth, pageSize }: GetFoldersInput,
  endOfQuery: Sql,
): Sql {
  const isRequested =
    folderId === undefined ? sql`parent_folder_id IS NULL` : sql`folder_id = ${folderId}`;
  const foldersBelow = (parentId: Sql) => sql`
    LATERAL (
      SELECT * FROM folders
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND parent_folder_id = ${parentId}
      OFFSET 0
    ) AS f`;
  return sql`
    WITH RECURSIVE top AS (
      SELECT * FROM folders
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND ${isRequested} ${endOfQuery}
    ), subtree AS (
      SELECT f.*, 1 AS level
      FROM (SELECT folder_id FROM top ORDER BY folder_id LIMIT ${pageSize}) AS page
      CROSS JOIN ${foldersBelow(sql`page.folder_id`)}
      WHERE ${maxDepth} > 0
      UNION ALL
      SELECT f.*, subtree.level + 1 FROM subtree
      CROSS JOIN ${foldersBelow(sql`subtree.folder_id`)}
      WHERE subtree.level < ${maxDepth}
    ), bounded AS (SELECT * FROM subtree LIMIT ${MAX_SUBFOLDERS + 1})
    SELECT ${FOLDERS.columns}, level
    FROM (SELECT *, 0 AS level FROM top UNION ALL SELECT * FROM bounded) AS found
    ORDER BY folder_id`;
}

/** @throws INVALID_ARGUMENT */
function requireFewSubfolders(subfolders: readonly LevelRow[]): void {
  if (subfolders.length <= MAX_SUBFOLDERS) return;
  throw invalidArgument(
    `There are more than ${MAX_SUBFOLDERS} subfolders. Ask for fewer with maxDepth, pageSize or folderId.`,
  );
}

type ChildrenByParent = Map<string | null, FolderRow[]>;

/**
 * Presents a folder with its subfolders. The last level has no field `subfolders`, since folders below it
 * were not read.
 */
function nest(
  row: FolderRow,
  above: readonly ChainLink[],
  childrenByParent: ChildrenByParent,
  maxDepth: number,
): PresentedFolder {
  const chain = [row, ...above];
  const folder = presentFolder(row, chain);
  if (maxDepth === 0) return folder;
  const subfolders = (childrenByParent.get(row.folderId) ?? []).map((child) =>
    nest(child, chain, childrenByParent, maxDepth - 1),
  );
  return { ...folder, subfolders };
}

import type { KeyContext } from '../../../api/context.ts';
import { readPage } from '../../../api/paging.ts';
import { sql } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { type ChainLink, loadFolderChains } from '../../access/folder-chains.ts';
import { placeNotFound } from '../../access/places.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { FOLDERS, type FolderRow, presentFolder } from './folders.ts';
import type { GetFoldersInput, PresentedFolder } from './schema.ts';

/** A nested response has no pages, so its size is limited. */
const MAX_SUBFOLDERS = 10_000;

/** Returns one folder, or a page of the root folders, with the folders below down to maxDepth. */
export async function getFolders(ctx: KeyContext, input: GetFoldersInput) {
  const { organizationId, folderId, maxDepth, pageSize, pageToken } = input;
  const filters = { organizationId, folderId, maxDepth };
  const query = { operation: 'folders.get', filters, pageSize, pageToken };
  const isRequested =
    folderId === undefined ? sql`AND parent_folder_id IS NULL` : sql`AND folder_id = ${folderId}`;
  const { columns, idColumn, idOf } = FOLDERS;
  const { rows, nextPageToken } = await readPage(
    ctx,
    query,
    [idColumn, idOf],
    async (endOfQuery) => {
      await requireOrganization(ctx.db, ctx.tenantId, organizationId);
      return ctx.db.query<FolderRow>(sql`
      SELECT ${columns} FROM folders
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
        ${isRequested} ${endOfQuery}`);
    },
  );
  if (folderId !== undefined && rows.length === 0) throw placeNotFound('folder');
  const below = await loadSubfolders(ctx, input, rows);
  const parentIds = rows.flatMap((row) => row.parentFolderId ?? []);
  const chains = await loadFolderChains(ctx.db, ctx.tenantId, organizationId, parentIds);
  const data = rows.map((row) =>
    nest(row, chains.get(row.parentFolderId ?? '') ?? [], { below, maxDepth }),
  );
  return { data, nextPageToken };
}

/**
 * Reads the folders below these, grouped by parent and ordered by id. OFFSET 0 makes PostgreSQL
 * look up each level by the index, as in `chainsFrom`.
 *
 * @throws INVALID_ARGUMENT when there are too many
 */
async function loadSubfolders(
  ctx: KeyContext,
  { organizationId, maxDepth }: GetFoldersInput,
  tops: FolderRow[],
): Promise<Map<string | null, FolderRow[]>> {
  if (maxDepth === 0 || tops.length === 0) return new Map();
  const rows = await ctx.db.query<FolderRow>(sql`
    WITH RECURSIVE subtree AS (
      SELECT f.*, 1 AS level
      FROM unnest(${tops.map((row) => row.folderId)}::text[]) AS top(id) CROSS JOIN LATERAL (
        SELECT * FROM folders
        WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
          AND parent_folder_id = top.id
        OFFSET 0
      ) AS f
      UNION ALL
      SELECT f.*, subtree.level + 1 FROM subtree CROSS JOIN LATERAL (
        SELECT * FROM folders
        WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
          AND parent_folder_id = subtree.folder_id
        OFFSET 0
      ) AS f
      WHERE subtree.level < ${maxDepth}
    ), bounded AS (SELECT * FROM subtree LIMIT ${MAX_SUBFOLDERS + 1})
    SELECT ${FOLDERS.columns} FROM bounded ORDER BY folder_id`);
  if (rows.length > MAX_SUBFOLDERS) {
    const narrower = 'ask for fewer with maxDepth, pageSize or folderId';
    throw invalidArgument(`More than ${MAX_SUBFOLDERS} subfolders: ${narrower}.`);
  }
  return Map.groupBy(rows, (row) => row.parentFolderId);
}

interface Levels {
  below: Map<string | null, FolderRow[]>;
  maxDepth: number;
}

/**
 * Presents a folder with its subfolders. The field is absent where maxDepth ends, since these
 * subfolders were not read.
 */
function nest(
  row: FolderRow,
  above: readonly ChainLink[],
  { below, maxDepth }: Levels,
): PresentedFolder {
  const chain = [row, ...above];
  const folder = presentFolder(row, chain);
  if (maxDepth === 0) return folder;
  const children = below.get(row.folderId) ?? [];
  const levels = { below, maxDepth: maxDepth - 1 };
  return { ...folder, subfolders: children.map((child) => nest(child, chain, levels)) };
}

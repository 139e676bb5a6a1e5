import type { KeyContext } from '../../../api/context.ts';
import { readPage, rowsAmong } from '../../../api/paging.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import { empty, sql } from '../../../platform/database/database.ts';
import { loadFolderChains } from '../../access/folder-chains.ts';
import { requirePlace } from '../folders/folders.ts';
import { DOCUMENTS, type DocumentRow, presentDocument } from './documents.ts';
import type { GetDocumentsInput } from './schema.ts';

/** Returns a page of an organization's documents, ordered by id (specification 4.18). */
export async function getDocuments(
  ctx: KeyContext,
  { organizationId, documentIds, folderId, ...paging }: GetDocumentsInput,
) {
  const { table, columns, idColumn, idOf } = DOCUMENTS;
  const where = sql`tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}`;
  const filters = { organizationId, documentIds, folderId };
  const query = { operation: 'documents.get', filters, ...paging };
  const inFolder = folderId === undefined ? empty : sql`AND folder_id = ${folderId}`;
  const { rows, nextPageToken } = await readPage(ctx, query, [idColumn, idOf], (endOfQuery) =>
    ctx.db.query<DocumentRow>(sql`
      SELECT ${columns} FROM ${rowsAmong({ table, where, idColumn }, documentIds)} d
      WHERE true ${inFolder} ${endOfQuery}`),
  );
  // If the page is empty because the organization or folder does not exist, the call fails.
  if (rows.length === 0) await requirePlace(ctx, organizationId, folderId);
  const folderIds = rows.flatMap((row) => row.folderId ?? []);
  const chains = await loadFolderChains(ctx.db, ctx.tenantId, organizationId, folderIds);
  return { data: await mapInChunks(rows, (row) => presentDocument(row, chains)), nextPageToken };
}

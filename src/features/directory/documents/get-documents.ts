import type { KeyContext } from '../../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../../api/paging.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import { empty, sql } from '../../../platform/database/database.ts';
import { folderNotFound, loadFolderChains } from '../../access/folder-chains.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { type DocumentRow, documentColumns, presentDocument } from './present.ts';
import type { GetDocumentsInput } from './schema.ts';

/** Returns a page of an organization's documents, ordered by id (4.18). */
export async function getDocuments(ctx: KeyContext, input: GetDocumentsInput) {
  const { organizationId, documentIds, folderId, pageSize, pageToken } = input;
  const filters = { organizationId, documentIds, folderId };
  const query = { operation: 'documents.get', tenantId: ctx.tenantId, filters };
  const [after] = readPageToken(ctx.secrets, query, pageToken) ?? [];

  const found = await selectDocuments(ctx, input, after);
  if (found.length === 0) await requirePlace(ctx, organizationId, folderId);
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [last.documentId]),
  );
  const folderIds = rows.flatMap((row) => row.folderId ?? []);
  const chains = await loadFolderChains(ctx.db, ctx.tenantId, organizationId, folderIds);
  return { data: await mapInChunks(rows, (row) => presentDocument(row, chains)), nextPageToken };
}

/** Reads one row more than the page, to know whether another page follows. */
function selectDocuments(ctx: KeyContext, input: GetDocumentsInput, after: string | undefined) {
  const { organizationId, documentIds, folderId, pageSize } = input;
  const byIds = documentIds?.length ? sql`AND document_id = ANY(${documentIds})` : empty;
  const inFolder = folderId === undefined ? empty : sql`AND folder_id = ${folderId}`;
  const fromPage = after === undefined ? empty : sql`AND document_id > ${after}`;
  return ctx.db.query<DocumentRow>(sql`
    SELECT ${documentColumns} FROM documents
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      ${byIds} ${inFolder} ${fromPage}
    ORDER BY document_id LIMIT ${pageSize + 1}`);
}

/** If the page is empty, the organization or folder itself may not exist. */
async function requirePlace(ctx: KeyContext, organizationId: string, folderId: string | undefined) {
  await requireOrganization(ctx.db, ctx.tenantId, organizationId);
  if (folderId === undefined) return;
  const chains = await loadFolderChains(ctx.db, ctx.tenantId, organizationId, [folderId]);
  if (!chains.has(folderId)) throw folderNotFound();
}

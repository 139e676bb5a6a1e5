import type { KeyContext } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { requireDocuments } from '../../access/named-documents.ts';
import { requireFolder } from '../../directory/folders/folders.ts';
import type { AnnotationQuery } from './filters.ts';

/**
 * For API keys, requires that the folder and the documents that the filters name exist. Only places in
 * which nothing was found are looked up. For users, `requireViewer` has already checked each place.
 *
 * @param found what the filters found
 * @param known items of documents that the caller knows to exist, which are not looked up again
 * @throws INVALID_ARGUMENT (folder_not_found, document_not_found)
 */
export async function requirePlaces(
  { tenantId, userId }: Pick<KeyContext, 'tenantId' | 'userId'>,
  db: Queryable,
  { organizationId, documentIds, folderIds }: AnnotationQuery,
  found: Array<{ documentId: string }>,
  known: Array<{ documentId: string }> = found,
): Promise<void> {
  if (userId !== undefined || organizationId === null) return;
  const folderId = folderIds?.[0];
  if (folderId !== undefined && found.length === 0) {
    await requireFolder(db, tenantId, organizationId, folderId);
  }
  const knownIds = new Set(known.map(({ documentId }) => documentId));
  const others = (documentIds ?? []).filter((documentId) => !knownIds.has(documentId));
  await requireDocuments(db, { tenantId, organizationId }, others);
}

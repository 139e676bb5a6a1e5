import { outcomeMap, succeeded } from '../../../api/batches.ts';
import type { ItemOutcome } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { loadFolderChains } from '../../access/folder-chains.ts';
import { documentColumns } from '../documents/present.ts';
import type { DeleteDocumentsInput } from '../documents/schema.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { type DeletionContext, idsIn, type PlacedDocument, removeDocuments } from './removal.ts';

/**
 * Deletes documents with all dependent data (4.21). A document that does not exist counts as
 * success, since the result is the same.
 */
export function deleteDocuments(
  ctx: DeletionContext,
  { organizationId, documentIds }: DeleteDocumentsInput,
): Promise<Record<string, ItemOutcome>> {
  const { tenantId } = ctx;
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, tenantId, organizationId);
    const documents = await lockForDeletion(tx, tenantId, organizationId, documentIds);
    const folderIds = documents.flatMap((row) => row.folderId ?? []);
    const chains = await loadFolderChains(tx, tenantId, organizationId, folderIds);
    const which = idsIn(organizationId, documentIds);
    await removeDocuments(ctx, tx, documents, { which, chainsIn: () => chains });
    const deleted = new Set(documents.map((row) => row.documentId));
    return outcomeMap(
      documentIds.map((id) =>
        succeeded(id, deleted.has(id) ? 'Document deleted.' : 'Document does not exist.'),
      ),
    );
  });
}

/** Locks rows against all changes, including new rows that would refer to them. */
function lockForDeletion(
  tx: Transaction,
  tenantId: string,
  organizationId: string,
  documentIds: string[],
): Promise<PlacedDocument[]> {
  return tx.query<PlacedDocument>(sql`
    SELECT organization_id AS "organizationId", ${documentColumns} FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ANY(${documentIds})
    ORDER BY document_id FOR UPDATE`);
}

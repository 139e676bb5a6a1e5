import { outcomeMap, succeeded } from '../../../api/batches.ts';
import { sql } from '../../../platform/database/database.ts';
import { namedDocuments } from '../../access/named-documents.ts';
import { DOCUMENTS, type DocumentRow } from '../documents/documents.ts';
import type { DeleteDocumentsInput } from '../documents/schema.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { type DeletionContext, deleteLockedRows } from './delete-locked-rows.ts';

/**
 * Deletes documents with all dependent data (specification 4.21). A document that does not exist
 * counts as success, since the result is the same.
 */
export function deleteDocuments(
  ctx: DeletionContext,
  { organizationId, documentIds }: DeleteDocumentsInput,
) {
  const { tenantId } = ctx;
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, tenantId, organizationId);
    const documents = await tx.query<DocumentRow>(sql`
      SELECT ${DOCUMENTS.columns}
      FROM ${namedDocuments({ tenantId, organizationId }, documentIds, sql`FOR UPDATE`)} d`);
    await deleteLockedRows(ctx, tx, { organizationIds: [organizationId] }, { documents });
    const deleted = new Set(documents.map(DOCUMENTS.idOf));
    return outcomeMap(
      documentIds.map((id) =>
        succeeded(id, deleted.has(id) ? 'Document deleted.' : 'Document does not exist.'),
      ),
    );
  });
}

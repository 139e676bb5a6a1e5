import { sql, type Transaction } from '../../../platform/database/database.ts';
import { type DocumentRow, documentColumns } from './present.ts';

/**
 * Locks the existing documents against changes until the transaction ends; new rows may still refer
 * to them. The order of ids prevents deadlocks between batches.
 */
export async function lockDocuments(
  tx: Transaction,
  tenantId: string,
  organizationId: string,
  documentIds: string[],
): Promise<Map<string, DocumentRow>> {
  const rows = await tx.query<DocumentRow>(sql`
    SELECT ${documentColumns} FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ANY(${documentIds})
    ORDER BY document_id FOR NO KEY UPDATE`);
  return new Map(rows.map((row) => [row.documentId, row]));
}

import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { AnnotationRow } from '../annotation-row.ts';

/**
 * Numbers new annotations of a document, from where the last one stopped. The counter stays locked
 * until the transaction ends, and one that fails gives its numbers back: there are no gaps.
 */
export async function takeNumbers(
  tx: Transaction,
  tenantId: string,
  annotations: AnnotationRow[],
): Promise<void> {
  const [first] = annotations;
  if (!first) return;
  const [counter] = await tx.query<{ lastNumber: number }>(sql`
    INSERT INTO annotation_counters (tenant_id, organization_id, document_id, last_number)
    VALUES (${tenantId}, ${first.organizationId}, ${first.documentId}, ${annotations.length})
    ON CONFLICT (tenant_id, organization_id, document_id) DO UPDATE SET
      last_number = annotation_counters.last_number + excluded.last_number
    RETURNING last_number AS "lastNumber"`);
  let number = (counter?.lastNumber ?? 0) - annotations.length;
  for (const annotation of annotations) annotation.annotationNumber = ++number;
}

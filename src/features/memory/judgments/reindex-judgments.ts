import { sql, type Transaction } from '../../../platform/database/database.ts';
import { indexOf } from '../text/term-keys.ts';
import { countTerms, type IndexedJudgment, indexedColumns } from './count-terms.ts';

/**
 * Indexes the changed texts of judgments, and deletes the vectors of their former texts.
 *
 * @param before the former text of each judgment, by its id
 */
export async function reindexJudgments(
  tx: Transaction,
  tenantId: string,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = await tx.query<IndexedJudgment & { recordId: string }>(sql`
    SELECT record_id AS "recordId", ${indexedColumns}
    FROM memory_judgments WHERE tenant_id = ${tenantId} AND record_id = ANY(${[...before.keys()]})`);
  const isChanged = ({ recordId, query }: (typeof rows)[number]) => before.get(recordId) !== query;
  const changed = rows.filter(isChanged);
  if (changed.length === 0) return;
  const indexed = changed.map((row) => ({
    ...row,
    ...indexOf(tenantId, row.organizationId, row.query),
  }));
  await tx.query(sql`
    UPDATE memory_judgments SET fingerprint = judgment.fingerprint,
      terms = array_to_tsvector(judgment.terms),
      organization_terms = array_to_tsvector(judgment."organizationTerms")
    FROM json_to_recordset(${JSON.stringify(indexed)}::json) AS judgment(
      "recordId" text, fingerprint bigint, terms text[], "organizationTerms" text[])
    WHERE tenant_id = ${tenantId} AND record_id = judgment."recordId"`);
  await tx.query(sql`
    DELETE FROM memory_embeddings
    WHERE tenant_id = ${tenantId} AND record_id = ANY(${changed.map(({ recordId }) => recordId)})`);
  const removed = changed.map((row) => ({ ...row, query: before.get(row.recordId) ?? '' }));
  await countTerms(tx, tenantId, indexed, removed);
}

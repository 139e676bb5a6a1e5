import { mapInChunks } from '../../../platform/chunks.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { INDEX_VERSION, indexOf } from '../text/term-keys.ts';
import { countTerms, type IndexedJudgment, indexedColumns } from './count-terms.ts';

type Indexed = IndexedJudgment & { recordId: string; query: string; fingerprint: string };

const COLUMNS = sql`
  record_id AS "recordId", query, fingerprint::text AS fingerprint, ${indexedColumns}`;

/** Judgments that are indexed at once. */
const STEP = 200;

/** The version of judgments without an index, whose terms are not counted yet. */
export const UNINDEXED = 0;

/** Indexes judgments that were inserted without an index. */
export async function indexNewJudgments(tx: Transaction, tenantId: string): Promise<void> {
  for (;;) {
    const rows = await tx.query<Indexed>(sql`
      SELECT ${COLUMNS} FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND index_version = ${UNINDEXED}::int LIMIT ${STEP}`);
    await index(tx, tenantId, rows, []);
    if (rows.length < STEP) return;
  }
}

/** Indexes the changed texts of judgments. */
export async function reindexJudgments(
  tx: Transaction,
  tenantId: string,
  recordIds: string[],
): Promise<void> {
  const rows = await tx.query<Indexed>(sql`
    SELECT ${COLUMNS} FROM memory_judgments
    WHERE tenant_id = ${tenantId} AND record_id = ANY(${recordIds})`);
  await index(tx, tenantId, rows);
}

/**
 * Alerts about an item follow its fingerprint.
 *
 * @param counted the rows whose former terms are counted
 */
async function index(tx: Transaction, tenantId: string, rows: Indexed[], counted = rows) {
  if (rows.length === 0) return;
  const indexed = await mapInChunks(rows, (row) => ({
    ...row,
    before: row.fingerprint,
    ...indexOf(tenantId, row.organizationId, row.query),
  }));
  const values = indexed.map(({ query: _, terms: __, ...value }) => value);
  await tx.query(sql`
    WITH judgment AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(values)}::json) AS judgment(
        "recordId" text, before text, fingerprint bigint, vector tsvector, "organizationTerms" text[])
    ), alerts AS (
      UPDATE memory_alerts SET subject = judgment.fingerprint::text FROM judgment
      WHERE tenant_id = ${tenantId} AND subject = judgment.before)
    UPDATE memory_judgments SET fingerprint = judgment.fingerprint, terms = judgment.vector,
      organization_terms = array_to_tsvector(judgment."organizationTerms"),
      index_version = ${INDEX_VERSION}::int
    FROM judgment WHERE tenant_id = ${tenantId} AND record_id = judgment."recordId"`);
  await countTerms(tx, tenantId, indexed, counted);
}

import { type Database, sql, type Transaction } from '../../../platform/database/database.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import { INDEX_VERSION, indexOf } from '../text/term-keys.ts';
import { countTerms, type IndexedJudgment, indexedColumns } from './count-terms.ts';

type Indexed = IndexedJudgment & { recordId: string; query: string; fingerprint: string };

const COLUMNS = sql`
  record_id AS "recordId", query, fingerprint::text AS fingerprint, ${indexedColumns}`;

/** Judgments that one transaction indexes, so that none takes long. */
const STEP = 200;

/**
 * Indexes judgments that an earlier version wrote, the newest first. While both versions run, the
 * earlier one may write more of them, and each is indexed once, whichever process does it.
 */
export async function reindexOldJudgments({ db }: { db: Database }): Promise<void> {
  while (await reindexStep(db));
}

/** @returns whether there may be more */
function reindexStep(db: Database): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [old] = await tx.query<{ tenantId: string }>(sql`
      SELECT tenant_id AS "tenantId" FROM memory_judgments /* all tenants, background */
      WHERE index_version < ${INDEX_VERSION}::int LIMIT 1`);
    if (!old) return false;
    const { tenantId } = old;
    const rows = await tx.query<Indexed>(sql`
      SELECT ${COLUMNS} FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND index_version < ${INDEX_VERSION}::int
      ORDER BY memory_judgments.created_ms DESC LIMIT ${STEP} FOR UPDATE SKIP LOCKED`);
    await index(tx, tenantId, rows);
    await forgetFormerIndex(tx, tenantId, rows);
    return rows.length > 0;
  });
}

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
  const indexed = [];
  for (const row of rows) {
    await nextChunk();
    const before = row.fingerprint;
    indexed.push({ ...row, before, ...indexOf(tenantId, row.organizationId, row.query) });
  }
  const values = indexed.map(({ recordId, before, fingerprint, vector, organizationTerms }) => ({
    recordId,
    before,
    fingerprint,
    vector,
    organizationTerms,
  }));
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

/**
 * Deletes what only the earlier version uses: spellings, vectors, and the setting that makes new
 * ones. Its processes may still write them, so their tables are dropped by a later version.
 */
async function forgetFormerIndex(tx: Transaction, tenantId: string, rows: Indexed[]) {
  const recordIds = rows.map(({ recordId }) => recordId);
  await tx.query(sql`DELETE FROM memory_configs WHERE tenant_id = ${tenantId}`);
  await tx.query(sql`DELETE FROM memory_spellings WHERE tenant_id = ${tenantId}`);
  await tx.query(sql`
    DELETE FROM memory_embeddings WHERE tenant_id = ${tenantId} AND record_id = ANY(${recordIds})`);
}

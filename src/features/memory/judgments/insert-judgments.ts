import { jsonLists, mapInChunks } from '../../../platform/chunks.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { INDEX_VERSION, indexOf } from '../text/term-keys.ts';
import { countTerms } from './count-terms.ts';
import { stanceOf } from './stance.ts';

/** A judgment as it is stored. */
export interface StoredJudgment {
  recordId: string;
  organizationId?: string | null | undefined;
  documentId?: string | null | undefined;
  query: string;
  decision: string;
  reasoning?: string | null | undefined;
  reviewer?: { userId: string; name?: string | undefined } | undefined;
  judgeType: 'human' | 'agent';
  createdMs: number;
  /** When the judgment was added, or when the event happened that it was made from. */
  recordedMs: number;
}

/**
 * Stores judgments that are not stored yet, with five statements unless they are very long. Words
 * are counted last, since other transactions wait for the locks on their rows.
 */
export async function insertJudgments(
  tx: Transaction,
  tenantId: string,
  judgments: StoredJudgment[],
  now: number,
): Promise<void> {
  if (judgments.length === 0) return;
  // A long text has hundreds of words with two hashes each.
  const indexed = await mapInChunks(judgments, (judgment) => {
    const { organizationId = null, query, decision, reviewer } = judgment;
    return {
      ...judgment,
      organizationId,
      side: stanceOf(decision),
      reviewerId: reviewer?.userId,
      reviewerName: reviewer?.name,
      ...indexOf(tenantId, organizationId, query),
    };
  });
  const rows = await mapInChunks(indexed, ({ reviewer: _, terms: __, ...row }) =>
    JSON.stringify(row),
  );
  const isNew = new Set<string>();
  for (const list of jsonLists(rows)) {
    for (const recordId of await insert(tx, tenantId, list)) isNew.add(recordId);
  }
  await schedule(tx, tenantId, now);
  await countTerms(
    tx,
    tenantId,
    indexed.filter(({ recordId }) => isNew.delete(recordId)),
  );
}

/** @returns the ids of the judgments that were not stored before */
async function insert(tx: Transaction, tenantId: string, rows: string): Promise<string[]> {
  const inserted = await tx.query<{ recordId: string }>(sql`
    INSERT INTO memory_judgments (tenant_id, record_id, organization_id, document_id, query,
      decision, side, reasoning, reviewer_id, reviewer_name, judge_type, created_ms, recorded_ms,
      fingerprint, terms, organization_terms, index_version)
    SELECT ${tenantId}, "recordId", "organizationId", "documentId", query, decision, side, reasoning,
           "reviewerId", "reviewerName", "judgeType", "createdMs", "recordedMs", fingerprint,
           vector, array_to_tsvector("organizationTerms"), ${INDEX_VERSION}::int
    FROM ROWS FROM (json_to_recordset(${rows}::json) AS (
      "recordId" text, "organizationId" text, "documentId" text, query text, decision text,
      side smallint, reasoning text, "reviewerId" text, "reviewerName" text, "judgeType" text,
      "createdMs" bigint, "recordedMs" bigint, fingerprint bigint, vector tsvector,
      "organizationTerms" text[])) WITH ORDINALITY
    ORDER BY ordinality
    ON CONFLICT DO NOTHING
    RETURNING record_id AS "recordId"`);
  return inserted.map(({ recordId }) => recordId);
}

/** Schedules the detection of alerts with the tenant's first judgment. */
async function schedule(tx: Transaction, tenantId: string, now: number): Promise<void> {
  await tx.query(sql`
    INSERT INTO memory_watches (tenant_id, due_ms) VALUES (${tenantId}, ${now}::bigint)
    ON CONFLICT (tenant_id) DO UPDATE SET due_ms = excluded.due_ms
    WHERE memory_watches.due_ms IS NULL`);
}

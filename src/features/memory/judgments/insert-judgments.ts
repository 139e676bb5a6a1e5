import { sql, type Transaction } from '../../../platform/database/database.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import { INDEX_VERSION, indexOf, type TermIndex } from '../text/term-keys.ts';
import { countTerms } from './count-terms.ts';
import { inParts, MAX_WORDS } from './in-parts.ts';
import { stanceOf } from './stance.ts';

/** A judgment as it is stored. */
export interface StoredJudgment {
  recordId: string;
  organizationId: string | null;
  documentId: string | null;
  query: string;
  decision: string;
  reasoning: string | null;
  reviewer: { userId: string; name?: string | undefined } | null;
  judgeType: 'human' | 'agent';
  createdMs: number;
  /** When the judgment was added, or when the event happened that it was made from. */
  recordedMs: number;
}

/**
 * Stores judgments that are not stored yet, with five statements unless they have very many words.
 * Words are counted last, since other transactions wait for the locks on their rows.
 */
export async function insertJudgments(
  tx: Transaction,
  tenantId: string,
  judgments: StoredJudgment[],
  now: number,
): Promise<void> {
  if (judgments.length === 0) return;
  const indexed = await indexAll(tenantId, judgments);
  const isNew = new Set<string>();
  for (const part of inParts(indexed, ({ terms }) => 1 + terms.length, MAX_WORDS)) {
    await nextChunk();
    for (const recordId of await insert(tx, tenantId, part)) isNew.add(recordId);
  }
  await schedule(tx, tenantId, now);
  await countTerms(
    tx,
    tenantId,
    indexed.filter(({ recordId }) => isNew.delete(recordId)),
  );
}

type Indexed = StoredJudgment & TermIndex;

/** Indexes in batches, since a long text has hundreds of words with two hashes each. */
async function indexAll(tenantId: string, judgments: StoredJudgment[]): Promise<Indexed[]> {
  const indexed: Indexed[] = [];
  for (const judgment of judgments) {
    await nextChunk();
    const { organizationId, query } = judgment;
    indexed.push({ ...judgment, ...indexOf(tenantId, organizationId, query) });
  }
  return indexed;
}

/** @returns the ids of the judgments that were not stored before */
async function insert(tx: Transaction, tenantId: string, judgments: Indexed[]): Promise<string[]> {
  const rows = judgments.map(rowOf);
  const inserted = await tx.query<{ recordId: string }>(sql`
    INSERT INTO memory_judgments (tenant_id, record_id, organization_id, document_id, query,
      decision, side, reasoning, reviewer_id, reviewer_name, judge_type, created_ms, recorded_ms,
      fingerprint, terms, organization_terms, index_version)
    SELECT ${tenantId}, record_id, organization_id, document_id, query, decision, side, reasoning,
           reviewer_id, reviewer_name, judge_type, created_ms, recorded_ms, fingerprint,
           terms, array_to_tsvector(organization_terms), ${INDEX_VERSION}::int
    FROM ROWS FROM (json_to_recordset(${JSON.stringify(rows)}::json) AS (
      record_id text, organization_id text, document_id text, query text, decision text,
      side smallint, reasoning text, reviewer_id text, reviewer_name text, judge_type text,
      created_ms bigint, recorded_ms bigint, fingerprint bigint, terms tsvector,
      organization_terms text[])) WITH ORDINALITY
    ORDER BY ordinality
    ON CONFLICT DO NOTHING
    RETURNING record_id AS "recordId"`);
  return inserted.map(({ recordId }) => recordId);
}

function rowOf(judgment: Indexed) {
  const { reviewer } = judgment;
  return {
    record_id: judgment.recordId,
    organization_id: judgment.organizationId,
    document_id: judgment.documentId,
    query: judgment.query,
    decision: judgment.decision,
    side: stanceOf(judgment.decision),
    reasoning: judgment.reasoning,
    reviewer_id: reviewer?.userId,
    reviewer_name: reviewer?.name,
    judge_type: judgment.judgeType,
    created_ms: judgment.createdMs,
    recorded_ms: judgment.recordedMs,
    fingerprint: judgment.fingerprint,
    terms: judgment.vector,
    organization_terms: judgment.organizationTerms,
  };
}

/** Schedules the detection of alerts with the tenant's first judgment. */
async function schedule(tx: Transaction, tenantId: string, now: number): Promise<void> {
  await tx.query(sql`
    INSERT INTO memory_watches (tenant_id, due_ms) VALUES (${tenantId}, ${now}::bigint)
    ON CONFLICT (tenant_id) DO UPDATE SET due_ms = excluded.due_ms
    WHERE memory_watches.due_ms IS NULL`);
}

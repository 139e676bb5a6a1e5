import type { KeyContext } from '../../../api/context.ts';
import { jsonLists, mapInChunks } from '../../../platform/chunks.ts';
import { raw, type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import { newId } from '../../../platform/ids.ts';
import { ALL_TERMS, INDEX_VERSION, indexColumns, readVector, termKey } from '../text/term-keys.ts';
import { READ_LENGTH } from '../text/terms.ts';
import type { AddJudgmentsInput } from './schema.ts';
import { stanceOf } from './stance.ts';

export interface StoredJudgment extends Omit<AddJudgmentsInput['judgments'][number], 'createdAt'> {
  recordId: string;
  /** The annotation that the judgment was made from, if any. */
  annotationId?: string;
  createdMs: number;
  /** When the judgment was added or, if it was made from an event, when the event happened. */
  recordedMs: number;
}

/** Adds judgments and returns their ids in the order given. */
export async function addJudgments(
  { db, clock, tenantId }: Pick<KeyContext, 'db' | 'clock' | 'tenantId'>,
  { judgments }: AddJudgmentsInput,
): Promise<{ recordIds: string[] }> {
  const now = clock.now();
  const stored = judgments.map(({ createdAt: createdMs = now, ...judgment }) => ({
    ...judgment,
    recordId: newId(),
    createdMs,
    recordedMs: now,
  }));
  await db.transaction((tx) => insertJudgments(tx, tenantId, stored, now));
  return { recordIds: stored.map(({ recordId }) => recordId) };
}

/** Stores those judgments that are not stored yet, counts their terms, and schedules a check for alerts. */
export async function insertJudgments(
  tx: Transaction,
  tenantId: string,
  judgments: StoredJudgment[],
  now: number,
): Promise<void> {
  if (judgments.length === 0) return;
  // Texts are indexed before the first lock is taken: a long one has hundreds of words to be hashed twice.
  const rows = await mapInChunks(judgments, ({ organizationId = null, reviewer, ...judgment }) =>
    JSON.stringify({
      ...judgment,
      organizationId,
      side: stanceOf(judgment.decision),
      reviewerId: reviewer?.userId,
      reviewerName: reviewer?.name,
      ...indexColumns(tenantId, organizationId, judgment.query),
    }),
  );
  await tx.query(sql`
    INSERT INTO memory_watches (tenant_id, due_ms) VALUES (${tenantId}, ${now}::bigint)
    ON CONFLICT (tenant_id) DO UPDATE SET due_ms = excluded.due_ms
    WHERE memory_watches.due_ms IS NULL`);
  for await (const list of jsonLists(rows)) {
    const inserted = sql`
      INSERT INTO memory_judgments (tenant_id, record_id, organization_id, document_id,
        annotation_id, query, decision, side, reasoning, reviewer_id, reviewer_name, judge_type,
        created_ms, recorded_ms, fingerprint, terms, organization_terms, index_version)
      SELECT ${tenantId}, "recordId", "organizationId", "documentId", "annotationId", query,
             decision, side, reasoning, "reviewerId", "reviewerName", "judgeType", "createdMs",
             "recordedMs", fingerprint, vector, array_to_tsvector("organizationTerms"),
             ${INDEX_VERSION}::int
      FROM ROWS FROM (json_to_recordset(${list}::json) AS (
        "recordId" text, "organizationId" text, "documentId" text, "annotationId" text, query text,
        decision text, side smallint, reasoning text, "reviewerId" text, "reviewerName" text,
        "judgeType" text, "createdMs" bigint, "recordedMs" bigint, fingerprint bigint,
        vector tsvector, "organizationTerms" text[])) WITH ORDINALITY
      ORDER BY ordinality
      ON CONFLICT DO NOTHING`;
    await changeJudgments(tx, tenantId, inserted, 1);
  }
}

/**
 * Deletes the judgments that meet a condition, with their terms, and the alerts about them. If the remaining
 * judgments show the same, the next check raises an alert again.
 */
export async function deleteJudgments(tx: Transaction, tenantId: string, condition: Sql) {
  const deletion = sql`DELETE FROM memory_judgments WHERE tenant_id = ${tenantId} AND ${condition}`;
  const { recordIds, fingerprints } = await changeJudgments(tx, tenantId, deletion, -1);
  if (recordIds.length === 0) return { recordIds, alertsRemoved: 0 };
  const alerts = await tx.query(sql`
    DELETE FROM memory_alerts WHERE tenant_id = ${tenantId}
      AND (subject = ANY(${fingerprints}) OR evidence->'sourceRecordIds' ?| ${recordIds}::text[])
    RETURNING 1`);
  return { recordIds, alertsRemoved: alerts.length };
}

/**
 * Inserts or deletes judgments, and updates in how many judgments each term occurs.
 *
 * @param times 1 to add the terms of these judgments, -1 to subtract them
 */
async function changeJudgments(tx: Transaction, tenantId: string, change: Sql, times: 1 | -1) {
  const all = termKey(tenantId, null, ALL_TERMS);
  const counts = sql`
    SELECT term, ${times}::int * count(*)::int AS times FROM changed, unnest(${keysOf(all)}) AS term
    GROUP BY term`;
  const [changed] = await tx.query<{
    recordIds: string[];
    fingerprints: string[];
    unused: string[];
  }>(sql`
    WITH changed AS (${change} RETURNING record_id, fingerprint, terms, organization_terms),
      counted AS (${addCounts(tenantId, all, counts)})
    SELECT ARRAY(SELECT record_id FROM changed) AS "recordIds",
      ARRAY(SELECT fingerprint::text FROM changed) AS fingerprints,
      ARRAY(SELECT term FROM counted WHERE judgments <= 0) AS unused`);
  const { recordIds = [], fingerprints = [], unused = [] } = changed ?? {};
  await deleteTerms(tx, tenantId, unused);
  return { recordIds, fingerprints };
}

/** SQL: the keys of a judgment's terms, and the key `all`, which counts all judgments. */
const keysOf = (all: string): Sql =>
  sql`${all}::text || tsvector_to_array(terms) || tsvector_to_array(organization_terms)`;

/**
 * SQL: adds to the counts of terms, and returns them. The row of `ALL_TERMS` is written first and keeps
 * other transactions of the tenant waiting, so that no deadlock can arise from the order of the other rows.
 */
const addCounts = (tenantId: string, all: string, counts: Sql): Sql => sql`
  INSERT INTO memory_terms AS known (tenant_id, term, judgments)
  SELECT ${tenantId}, term, times FROM (${counts}) AS counts
  WHERE times <> 0 OR term = ${all} ORDER BY term <> ${all}
  ON CONFLICT (tenant_id, term) DO UPDATE SET judgments = known.judgments + excluded.judgments
  RETURNING term, judgments`;

/** Deletes terms that no longer occur in any judgment. A second statement does this: the first cannot see its own writes. */
async function deleteTerms(tx: Transaction, tenantId: string, unused: string[]): Promise<void> {
  if (unused.length === 0) return;
  await tx.query(sql`
    DELETE FROM memory_terms
    WHERE tenant_id = ${tenantId} AND judgments <= 0 AND term = ANY(${unused})`);
}

/** The `index_version` of imported judgments, which have no terms and are not counted yet. */
export const UNINDEXED = 0;
/** The `index_version` of judgments whose text has changed since their terms were computed. */
export const OUTDATED = 1;

/** The most judgments that one statement indexes, and the most terms that one statement counts. */
const MAX_INDEXED = 1_000;
const MAX_COUNTED = 10_000;

interface JudgmentToIndex {
  recordId: string;
  organizationId: string | null;
  query: string;
  formerFingerprint: string;
  formerKeys: string[];
}

/**
 * Indexes the tenant's judgments that have no terms, or terms of a former text. In the long transaction of an
 * import, each statement also reads the former versions of rows that earlier statements have written, so all
 * judgments are read by one cursor. The counts are written at the end, so that other transactions wait only then.
 */
export async function indexJudgments(tx: Transaction, tenantId: string): Promise<void> {
  const all = termKey(tenantId, null, ALL_TERMS);
  const counts = new Map([[all, 0]]);
  const count = (keys: string[], times: 1 | -1) => {
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + times);
  };
  // The partial index memory_judgments_to_reindex serves only this condition, with this constant.
  await tx.query(sql`
    DECLARE judgments_to_index CURSOR FOR
    SELECT record_id AS "recordId", organization_id AS "organizationId",
           left(query, ${READ_LENGTH}::int) AS query, fingerprint::text AS "formerFingerprint",
           CASE WHEN index_version = ${UNINDEXED}::int THEN '{}' ELSE ${keysOf(all)} END
             AS "formerKeys"
    FROM memory_judgments WHERE tenant_id = ${tenantId} AND index_version < 2 FOR UPDATE`);
  for (;;) {
    const rows = await tx.query<JudgmentToIndex>(
      sql`FETCH ${raw(String(MAX_INDEXED))} FROM judgments_to_index`,
    );
    if (rows.length === 0) break;
    const indexed = await mapInChunks(rows, ({ organizationId, query, formerKeys, ...row }) => {
      const columns = indexColumns(tenantId, organizationId, query);
      count(formerKeys, -1);
      count([all, ...readVector(columns.vector).keys(), ...columns.organizationTerms], 1);
      return { ...row, ...columns };
    });
    // Alerts identify their item by its fingerprint, so they get the new one as well.
    await tx.query(sql`
      WITH judgment AS (
        SELECT * FROM json_to_recordset(${JSON.stringify(indexed)}::json) AS judgment(
          "recordId" text, "formerFingerprint" text, fingerprint bigint, vector tsvector,
          "organizationTerms" text[])
      ), alerts AS (
        UPDATE memory_alerts SET subject = fingerprint::text FROM judgment
        WHERE tenant_id = ${tenantId} AND subject = "formerFingerprint"
      )
      UPDATE memory_judgments SET fingerprint = judgment.fingerprint, terms = vector,
        organization_terms = array_to_tsvector("organizationTerms"),
        index_version = ${INDEX_VERSION}::int
      FROM judgment WHERE tenant_id = ${tenantId} AND record_id = "recordId"`);
  }
  await tx.query(sql`CLOSE judgments_to_index`);
  if (counts.size === 1) return;
  const terms = [...counts.keys()];
  for (let start = 0; start < terms.length; start += MAX_COUNTED) {
    const chunk = terms.slice(start, start + MAX_COUNTED);
    const times = chunk.map((term) => counts.get(term) ?? 0);
    const counted = sql`
      SELECT term, times FROM unnest(${chunk}::text[], ${times}::int[]) AS counted(term, times)`;
    const rows = await tx.query<{ term: string; judgments: number }>(
      addCounts(tenantId, all, counted),
    );
    const unused = rows.filter(({ judgments }) => judgments <= 0).map(({ term }) => term);
    await deleteTerms(tx, tenantId, unused);
  }
}

import { empty, type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import {
  type Erasure,
  type ErasureStep,
  STEP_ROWS,
  type StepResult,
} from '../../platform/erasure/step.ts';
import { countTerms, type IndexedJudgment, indexedColumns } from './judgments/count-terms.ts';

/**
 * Used when erasure removes content: deletes users' judgments and judgments of items they wrote.
 */

const inScope = ({ organizationIds }: Erasure): Sql =>
  organizationIds ? sql`AND j.organization_id = ANY(${organizationIds})` : empty;

export const judgmentsByErased: ErasureStep = {
  name: 'judgmentsByErased',
  onlyRemoving: true,
  async run(erasure, tx) {
    const rows = await tx.query<{ recordId: string }>(sql`
      SELECT record_id AS "recordId" FROM memory_judgments j
      WHERE j.tenant_id = ${erasure.tenantId} AND j.reviewer_id = ANY(${erasure.userIds})
        ${inScope(erasure)}
      LIMIT ${STEP_ROWS}`);
    return removed(erasure, tx, rows, rows.length === STEP_ROWS ? [] : undefined);
  },
};

interface CommentRow {
  key: string[];
  organizationId: string;
  documentId: string;
  text: string;
}

/**
 * Removes judgments of items whose text begins with a comment of the users. This step must run
 * before the step that removes the comments.
 */
export const judgmentsOnErased: ErasureStep = {
  name: 'judgmentsOnErased',
  onlyRemoving: true,
  async run(erasure, tx, after) {
    const comments = await readComments(erasure, tx, after);
    const written = comments.filter(({ text }) => text !== '');
    const rows = await tx.query<{ recordId: string }>(sql`
      SELECT DISTINCT j.record_id AS "recordId"
      FROM unnest(${written.map(({ organizationId }) => organizationId)}::text[],
                  ${written.map(({ documentId }) => documentId)}::text[],
                  ${written.map(({ text }) => text)}::text[])
        AS written(organization_id, document_id, text)
      JOIN memory_judgments j ON j.tenant_id = ${erasure.tenantId}
        AND j.organization_id = written.organization_id AND j.document_id = written.document_id
        AND (j.query = written.text OR starts_with(j.query, written.text || E'\\n'))`);
    const last = comments.length === STEP_ROWS ? comments.at(-1)?.key : undefined;
    return removed(erasure, tx, rows, last);
  },
};

function readComments(
  { tenantId, userIds, organizationIds }: Erasure,
  tx: Transaction,
  [author, createdAt, annotationId, commentId]: string[],
): Promise<CommentRow[]> {
  const further =
    author === undefined
      ? empty
      : sql`AND (c.author_id, c.created_at, c.annotation_id, c.comment_id)
          > (${author}, ${createdAt}::bigint, ${annotationId}, ${commentId}::bigint)`;
  const there = organizationIds ? sql`AND a.organization_id = ANY(${organizationIds})` : empty;
  return tx.query<CommentRow>(sql`
    SELECT ARRAY[c.author_id, c.created_at::text, c.annotation_id, c.comment_id::text] AS key,
      a.organization_id AS "organizationId", a.document_id AS "documentId",
      btrim(COALESCE(c.content->>'commentText', '')) AS text
    FROM comments c
    JOIN comment_annotations a ON a.tenant_id = c.tenant_id AND a.annotation_id = c.annotation_id
    WHERE c.tenant_id = ${tenantId} AND c.author_id = ANY(${userIds}) ${further} ${there}
    ORDER BY c.author_id, c.created_at, c.annotation_id, c.comment_id LIMIT ${STEP_ROWS}`);
}

/** Compares with the event a judgment was made from, as the comment may have changed since. */
export const judgmentsOnErasedEvents: ErasureStep = {
  name: 'judgmentsOnErasedEvents',
  onlyRemoving: true,
  async run(erasure, tx, [after = '']) {
    const { tenantId, userIds } = erasure;
    const part = await tx.query<{ recordId: string; isTheirs: boolean }>(sql`
      SELECT j.record_id AS "recordId", EXISTS (
        SELECT 1 FROM events e
        WHERE e.tenant_id = ${tenantId} AND e.id = j.record_id ${inScope(erasure)}
          AND (e.data->'from'->>'userId' = ANY(${userIds}) OR EXISTS (
            SELECT 1 FROM json_array_elements(CASE json_typeof(e.data->'comments')
              WHEN 'array' THEN e.data->'comments' ELSE '[]'::json END) AS comment
            WHERE comment->'from'->>'userId' = ANY(${userIds})
              AND btrim(comment->>'commentText') <> ''
              AND starts_with(j.query, btrim(comment->>'commentText'))))) AS "isTheirs"
      FROM memory_judgments j
      WHERE j.tenant_id = ${tenantId} AND j.record_id > ${after}
      ORDER BY j.record_id LIMIT ${STEP_ROWS}`);
    const last = part.length === STEP_ROWS ? part.at(-1)?.recordId : undefined;
    const rows = part.filter(({ isTheirs }) => isTheirs);
    return removed(erasure, tx, rows, last === undefined ? undefined : [last]);
  },
};

/** Removes judgments with their terms and the alerts about them. */
async function removed(
  { tenantId }: Erasure,
  tx: Transaction,
  rows: Array<{ recordId: string }>,
  next: string[] | undefined,
): Promise<StepResult> {
  const recordIds = rows.map(({ recordId }) => recordId);
  if (recordIds.length === 0) return { counts: { judgmentsRemoved: 0 }, next };
  const gone = await tx.query<IndexedJudgment & { fingerprint: string }>(sql`
    DELETE FROM memory_judgments WHERE tenant_id = ${tenantId} AND record_id = ANY(${recordIds})
    RETURNING ${indexedColumns}, fingerprint::text AS fingerprint`);
  await countTerms(tx, tenantId, [], gone);
  const alerts = await tx.query(sql`
    DELETE FROM memory_alerts WHERE tenant_id = ${tenantId}
      AND (subject = ANY(${gone.map(({ fingerprint }) => fingerprint)})
        OR evidence->'sourceRecordIds' ?| ${recordIds}::text[])
    RETURNING 1`);
  return { counts: { judgmentsRemoved: gone.length, alertsRemoved: alerts.length }, next };
}

import { empty, sql, type Transaction } from '../../platform/database/database.ts';
import type { Quote } from '../../platform/erasure/quotes.ts';
import { type ErasureStep, STEP_ROWS, type StepResult } from '../../platform/erasure/step.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';
import { deleteJudgments, indexJudgments, OUTDATED } from './judgments/store-judgments.ts';

/**
 * Deletes judgments of items whose text begins with a comment of the users. This step must run
 * before the step that deletes the comments.
 */
export const judgmentsOnComments: ErasureStep = {
  name: 'judgmentsOnErased',
  onlyRemoving: true,
  async run(erasure, tx, [author, createdAt, annotationId, commentId]) {
    const { tenantId, userIds, organizationIds } = erasure;
    const following =
      author === undefined
        ? empty
        : sql`AND (c.author_id, c.created_at, c.annotation_id, c.comment_id)
            > (${author}, ${createdAt}::bigint, ${annotationId}, ${commentId}::bigint)`;
    const inScope = organizationIds ? sql`AND a.organization_id = ANY(${organizationIds})` : empty;
    const comments = await tx.query<StepRow>(sql`
      SELECT ARRAY[c.author_id, c.created_at::text, c.annotation_id, c.comment_id::text] AS key,
        ARRAY(
          SELECT j.record_id FROM memory_judgments j
          WHERE j.tenant_id = ${tenantId} AND j.organization_id = a.organization_id
            AND j.document_id = a.document_id AND written.text <> ''
            AND (j.query = written.text OR starts_with(j.query, written.text || E'\\n'))
        ) AS "recordIds"
      FROM comments c
      JOIN comment_annotations a ON a.tenant_id = c.tenant_id AND a.annotation_id = c.annotation_id
      CROSS JOIN LATERAL (SELECT btrim(c.content->>'commentText') AS text) AS written
      WHERE c.tenant_id = ${tenantId} AND c.author_id = ANY(${userIds}) ${following} ${inScope}
      ORDER BY c.author_id, c.created_at, c.annotation_id, c.comment_id LIMIT ${STEP_ROWS}`);
    return removeJudgments(tx, tenantId, comments);
  },
};

/**
 * Deletes judgments by the users, and those made from events with their comments. The comments may
 * have changed since, so `judgmentsOnComments` does not find all of these.
 */
export const judgmentsByUsersOrOnEvents: ErasureStep = {
  name: 'judgmentsOnErasedEvents',
  onlyRemoving: true,
  async run({ tenantId, userIds, organizationIds }, tx, [after = '']) {
    const inScope = organizationIds ? sql`j.organization_id = ANY(${organizationIds})` : sql`true`;
    const judgments = await tx.query<StepRow>(sql`
      SELECT ARRAY[j.record_id] AS key, CASE WHEN ${inScope}
        AND (j.reviewer_id = ANY(${userIds}) OR EXISTS (
          SELECT 1 FROM events e
          WHERE e.tenant_id = ${tenantId} AND e.id = j.record_id
            AND (e.data->'from'->>'userId' = ANY(${userIds}) OR EXISTS (
              SELECT 1 FROM json_array_elements(CASE json_typeof(e.data->'comments')
                WHEN 'array' THEN e.data->'comments' ELSE '[]'::json END) AS comment
              WHERE comment->'from'->>'userId' = ANY(${userIds})
                AND btrim(comment->>'commentText') <> ''
                AND starts_with(j.query, btrim(comment->>'commentText'))))))
        THEN ARRAY[j.record_id] ELSE '{}' END AS "recordIds"
      FROM memory_judgments j
      WHERE j.tenant_id = ${tenantId} AND j.record_id > ${after}
      ORDER BY j.record_id LIMIT ${STEP_ROWS}`);
    return removeJudgments(tx, tenantId, judgments);
  },
};

/**
 * Does nothing, since `judgmentsByUsersOrOnEvents` deletes these judgments too. The plan keeps this step for
 * workers of version 0.2.0, which delete them in it, and may run the plan during an upgrade.
 */
export const formerJudgmentsStep: ErasureStep = {
  name: 'judgmentsByErased',
  onlyRemoving: true,
  run: async () => ({ counts: {}, next: undefined }),
};

/** A row that a step has read, with the judgments to delete because of it. */
interface StepRow {
  /** The position of the row, from which the next run continues. */
  key: string[];
  recordIds: string[];
}

/** Deletes the judgments of a step, and the alerts about them. */
async function removeJudgments(
  tx: Transaction,
  tenantId: string,
  rows: StepRow[],
): Promise<StepResult> {
  const next = rows.length === STEP_ROWS ? rows.at(-1)?.key : undefined;
  const removed = rows.flatMap((row) => row.recordIds);
  if (removed.length === 0) return { counts: { judgmentsRemoved: 0 }, next };
  const condition = sql`record_id = ANY(${removed})`;
  const { recordIds, fingerprints } = await deleteJudgments(tx, tenantId, condition);
  const alerts = await tx.query(sql`
    DELETE FROM memory_alerts WHERE tenant_id = ${tenantId}
      AND (subject = ANY(${fingerprints}) OR evidence->'sourceRecordIds' ?| ${recordIds}::text[])
    RETURNING 1`);
  return { counts: { judgmentsRemoved: recordIds.length, alertsRemoved: alerts.length }, next };
}

/** Keeps the other judgments as precedents, with an anonymous reviewer. */
export const erasedInJudgments = walkRows({
  name: 'judgments',
  table: sql`memory_judgments t`,
  key: ['record_id'],
  record: sql`json_build_object('reviewer',
    json_build_object('userId', t.reviewer_id, 'name', t.reviewer_name),
    'query', t.query, 'reasoning', t.reasoning)`,
  set: () => sql`reviewer_id = record->'reviewer'->>'userId',
    reviewer_name = record->'reviewer'->>'name', query = record->>'query',
    reasoning = record->>'reasoning', index_version = ${OUTDATED}::int`,
  // Words that were erased from the texts leave the vocabulary as well.
  after: ({ tenantId }, tx) => indexJudgments(tx, tenantId),
});

/** Anonymises alerts: texts, who dismissed them, and subjects, which may name a reviewer. */
export const erasedInAlerts = walkRows({
  name: 'alerts',
  table: sql`memory_alerts t`,
  key: ['alert_id'],
  inOrganizations: (organizationIds) =>
    sql`AND t.evidence->>'organizationId' = ANY(${organizationIds})`,
  record: sql`json_build_object('title', t.title,
    'description', t.description, 'suggestedAction', t.suggested_action,
    'evidence', t.evidence, 'dismissedBy', t.dismissed_by)`,
  set: () => sql`subject = md5(t.subject), title = record->>'title',
    description = record->>'description', suggested_action = record->>'suggestedAction',
    evidence = (record->'evidence')::jsonb,
    dismissed_by = NULLIF((record->'dismissedBy')::jsonb, 'null'::jsonb)`,
});

/** The event of an alert quotes the judged items. */
export const quotedAlert: Quote = {
  eventType: 'memory.alert',
  field: 'description',
  isStale: (data) => sql`NOT EXISTS (
    SELECT 1 FROM memory_alerts a WHERE a.tenant_id = t.tenant_id AND a.alert_id = ${data}->>'id')`,
};

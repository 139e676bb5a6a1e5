import { empty, type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import type { Quote } from '../../platform/erasure/quotes.ts';
import { type ErasureStep, STEP_ROWS, type StepResult } from '../../platform/erasure/step.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';
import { deleteJudgments, indexJudgments, OUTDATED } from './judgments/store-judgments.ts';

/** The characters that JavaScript's `trim` removes. By default, PostgreSQL's `btrim` removes only spaces. */
const WHITESPACE =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** SQL: the text of a comment, trimmed as it is in judgments. */
const trimmed = (text: Sql): Sql => sql`btrim(${text}, ${WHITESPACE}::text)`;

/** SQL: the beginning of a text's first line, which a comment and the judgments on it have in common. */
const firstLine = (text: Sql): Sql => sql`split_part(left(${text}, 200), E'\\n', 1)`;

/**
 * Deletes judgments of items whose text begins with a comment of the users. This step must run
 * before the step that deletes the comments.
 */
export const deleteJudgmentsOnComments: ErasureStep = {
  name: 'judgmentsOnErased',
  onlyWhenRemovingContents: true,
  async run(erasure, tx, [author, createdAt, annotationId, commentId]) {
    const { tenantId, userIds, organizationIds } = erasure;
    const following =
      author === undefined
        ? empty
        : sql`AND (c.author_id, c.created_at, c.annotation_id, c.comment_id)
            > (${author}, ${createdAt}::bigint, ${annotationId}, ${commentId}::bigint)`;
    const inScope = organizationIds ? sql`AND a.organization_id = ANY(${organizationIds})` : empty;
    // IS TRUE makes PostgreSQL look up first lines in a hash table, and so read each judgment of these
    // documents once, instead of once for each comment.
    const [found] = await tx.query<{
      count: number;
      last: string[] | null;
      recordIds: string[];
    }>(sql`
      WITH written AS MATERIALIZED (
        SELECT row_number() OVER (
            ORDER BY c.author_id, c.created_at, c.annotation_id, c.comment_id) AS number,
          ARRAY[c.author_id, c.created_at::text, c.annotation_id, c.comment_id::text] AS key,
          a.organization_id, a.document_id, ${trimmed(sql`c.content->>'commentText'`)} AS text
        FROM comments c
        JOIN comment_annotations a
          ON a.tenant_id = c.tenant_id AND a.annotation_id = c.annotation_id
        WHERE c.tenant_id = ${tenantId} AND c.author_id = ANY(${userIds}) ${following} ${inScope}
        ORDER BY number LIMIT ${STEP_ROWS}
      ), candidates AS MATERIALIZED (
        SELECT j.* FROM (SELECT DISTINCT organization_id, document_id FROM written) AS place
        CROSS JOIN LATERAL (
          SELECT record_id, organization_id, document_id, query FROM memory_judgments
          WHERE tenant_id = ${tenantId} AND organization_id = place.organization_id
            AND document_id = place.document_id OFFSET 0) AS j
        WHERE (${firstLine(sql`j.query`)} IN (
          SELECT ${firstLine(sql`text`)} FROM written WHERE text <> '')) IS TRUE
      )
      SELECT count(*)::int AS count,
        (SELECT key FROM written ORDER BY number DESC LIMIT 1) AS last,
        ARRAY(
          SELECT record_id FROM candidates j WHERE EXISTS (
            SELECT FROM written
            WHERE organization_id = j.organization_id AND document_id = j.document_id
              AND text <> '' AND (j.query = text OR starts_with(j.query, text || E'\\n')))
        ) AS "recordIds"
      FROM written`);
    const { count = 0, last, recordIds = [] } = found ?? {};
    const next = count === STEP_ROWS && last ? last : undefined;
    return removeJudgments(tx, tenantId, recordIds, next);
  },
};

/**
 * Deletes the users' own judgments, and judgments made from events with the users' comments. A comment may
 * have changed since its event, so `deleteJudgmentsOnComments` does not find all of these judgments.
 */
export const deleteJudgmentsByUsersOrOnEvents: ErasureStep = {
  name: 'judgmentsOnErasedEvents',
  onlyWhenRemovingContents: true,
  async run({ tenantId, userIds, organizationIds }, tx, [after = '']) {
    const inScope = organizationIds ? sql`j.organization_id = ANY(${organizationIds})` : sql`true`;
    const commentText = trimmed(sql`comment->>'commentText'`);
    const quotesTheirComment = sql`EXISTS (
      SELECT 1 FROM json_array_elements(CASE json_typeof(e.data->'comments')
        WHEN 'array' THEN e.data->'comments' ELSE '[]'::json END) AS comment
      WHERE comment->'from'->>'userId' = ANY(${userIds})
        AND ${commentText} <> '' AND starts_with(j.query, ${commentText}))`;
    // A judgment that was made from an event has the id of the event.
    const isOnTheirEvent = sql`EXISTS (
      SELECT 1 FROM events e
      WHERE e.tenant_id = ${tenantId} AND e.id = j.record_id
        AND (e.data->'from'->>'userId' = ANY(${userIds}) OR ${quotesTheirComment}))`;
    const judgments = await tx.query<{ recordId: string; isTheirs: boolean }>(sql`
      SELECT j.record_id AS "recordId",
        (${inScope} AND (j.reviewer_id = ANY(${userIds}) OR ${isOnTheirEvent})) IS TRUE AS "isTheirs"
      FROM memory_judgments j
      WHERE j.tenant_id = ${tenantId} AND j.record_id > ${after}
      ORDER BY j.record_id LIMIT ${STEP_ROWS}`);
    const theirs = judgments.filter(({ isTheirs }) => isTheirs);
    const last = judgments.length === STEP_ROWS ? judgments.at(-1) : undefined;
    return removeJudgments(
      tx,
      tenantId,
      theirs.map(({ recordId }) => recordId),
      last && [last.recordId],
    );
  },
};

/**
 * Does nothing: `deleteJudgmentsByUsersOrOnEvents` deletes these judgments now. The step is kept for workers of
 * version 0.2.0, which may still run during an upgrade and delete the judgments in this step.
 */
export const formerJudgmentsStep: ErasureStep = {
  name: 'judgmentsByErased',
  onlyWhenRemovingContents: true,
  run: async () => ({ counts: {}, next: undefined }),
};

/** Deletes judgments, and returns the result of the step. */
async function removeJudgments(
  tx: Transaction,
  tenantId: string,
  foundIds: string[],
  next: string[] | undefined,
): Promise<StepResult> {
  if (foundIds.length === 0) return { counts: { judgmentsRemoved: 0 }, next };
  const condition = sql`record_id = ANY(${foundIds})`;
  const { recordIds, alertsRemoved } = await deleteJudgments(tx, tenantId, condition);
  return { counts: { judgmentsRemoved: recordIds.length, alertsRemoved }, next };
}

/** Removes the users from the other judgments, which stay as precedents with an anonymous reviewer. */
export const eraseInJudgments = walkRows({
  name: 'judgments',
  table: sql`memory_judgments t`,
  key: ['record_id'],
  record: sql`json_build_object('reviewer',
    json_build_object('userId', t.reviewer_id, 'name', t.reviewer_name),
    'query', t.query, 'reasoning', t.reasoning)`,
  set: () => sql`reviewer_id = record->'reviewer'->>'userId',
    reviewer_name = record->'reviewer'->>'name', query = record->>'query',
    reasoning = record->>'reasoning', index_version = ${OUTDATED}::int`,
  // Indexing the judgments again also removes erased words from the vocabulary.
  after: ({ tenantId }, tx) => indexJudgments(tx, tenantId),
});

/**
 * Anonymises alerts: their texts, the users who dismissed them, and subjects that name a reviewer. Such a
 * subject becomes the alert's id, since a hash of the name would still reveal the reviewer.
 */
export const eraseInAlerts = walkRows({
  name: 'alerts',
  table: sql`memory_alerts t`,
  key: ['alert_id'],
  inOrganizations: (organizationIds) =>
    sql`AND t.evidence->>'organizationId' = ANY(${organizationIds})`,
  record: sql`json_build_object('title', t.title,
    'description', t.description, 'suggestedAction', t.suggested_action,
    'evidence', t.evidence, 'dismissedBy', t.dismissed_by)`,
  set: () => sql`subject = CASE
      WHEN t.alert_type = 'reviewer-divergence' THEN t.alert_id ELSE t.subject END,
    title = record->>'title',
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

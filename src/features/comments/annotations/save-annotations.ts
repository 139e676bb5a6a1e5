import { among } from '../../../api/paging.ts';
import { listToJson } from '../../../platform/chunks.ts';
import { raw, type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { DocumentRef } from '../../access/places.ts';
import type { AnnotationRow, CommentRow, ReactionRow } from '../annotation-row.ts';
import { locationIdOf } from '../locations.ts';

/** The columns of an annotation that never change. */
// biome-ignore format: several names per line
const FIXED_COLUMNS = [
  'annotation_id', 'organization_id', 'document_id', 'folder_id', 'annotation_number', 'type',
  'author_id', 'from_user', 'agent_id', 'execution_id', 'agent_type', 'agent_source', 'agent_kind',
  'created_at',
] as const;
/** The columns of an annotation that updates write. */
// biome-ignore format: several names per line
const UPDATED_COLUMNS = [
  'status_id', 'status', 'resolved_by', 'location_key', 'visibility', 'access', 'fields',
  'next_comment_id', 'last_updated', 'last_comment_at', 'last_comment_by',
] as const;

type Columns = Record<(typeof FIXED_COLUMNS | typeof UPDATED_COLUMNS)[number], unknown>;

/** Returns the columns of an annotation, including those that only serve to filter and sort lists. */
function toColumns(row: AnnotationRow): Columns {
  const { fields, type } = row;
  const locationId = locationIdOf(fields);
  return {
    annotation_id: row.annotationId,
    organization_id: row.organizationId,
    document_id: row.documentId,
    folder_id: row.folderId,
    annotation_number: row.annotationNumber,
    type,
    author_id: row.from.userId,
    from_user: row.from,
    status_id: row.status.id,
    status: row.status,
    resolved_by: row.resolvedBy,
    location_key: locationId === undefined ? null : String(locationId),
    agent_id: fields.agent?.agentId,
    execution_id: fields.agent?.executionId,
    agent_type: fields.agent?.agentType,
    agent_source: fields.agent?.agentSource,
    agent_kind: fields.agent ? type : null,
    visibility: row.visibility,
    access: row.access,
    fields,
    next_comment_id: row.nextCommentId,
    created_at: row.createdAt,
    last_updated: row.lastUpdated,
    last_comment_at: row.lastCommentAt,
    last_comment_by: row.lastCommentBy,
  };
}

/** SQL: the annotations as rows of their table. */
const recordset = async (rows: AnnotationRow[]): Promise<Sql> => sql`
  jsonb_populate_recordset(NULL::comment_annotations,
    ${await listToJson(rows.values().map(toColumns))}::jsonb)`;

/**
 * SQL that adds the assignees and the resolvers of the annotations in `given` to `annotation_users`
 * (specification 4.16). Only their ids are stored: other fields are shown for subscribers only.
 */
const insertInvolvedUsersSql = (tenantId: string): Sql => sql`
  INSERT INTO annotation_users
    (tenant_id, annotation_id, user_id, organization_id, "user", last_updated)
  SELECT ${tenantId}, annotation_id, user_id, organization_id,
         jsonb_build_object('userId', user_id), last_updated
  FROM given, LATERAL (VALUES (fields->'assignedTo'->>'userId'), (resolved_by)) AS involved(user_id)
  WHERE user_id IS NOT NULL
  ORDER BY annotation_id, user_id
  ON CONFLICT DO NOTHING`;

/**
 * Reserves the next `count` annotation numbers of a document. There are no gaps: the counter is locked
 * until the transaction ends, and a rollback restores it.
 *
 * @returns the last number before the reserved ones; undefined if the document does not exist
 */
export async function takeNumbers(
  tx: Transaction,
  tenantId: string,
  { organizationId, documentId }: DocumentRef,
  count: number,
): Promise<number | undefined> {
  const [counter] = await tx.query<{ lastNumber: number }>(sql`
    INSERT INTO annotation_counters (tenant_id, organization_id, document_id, last_number)
    SELECT tenant_id, organization_id, document_id, ${count}::int FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId}
    ON CONFLICT (tenant_id, organization_id, document_id) DO UPDATE SET
      last_number = annotation_counters.last_number + excluded.last_number
    RETURNING last_number AS "lastNumber"`);
  return counter && counter.lastNumber - count;
}

/** Sets a document's last number at the end of a transaction that reserved more numbers than it used. */
export function setLastNumber(
  tx: Transaction,
  tenantId: string,
  { organizationId, documentId }: DocumentRef,
  lastNumber: number,
): void {
  tx.beforeCommit(sql`
    UPDATE annotation_counters SET last_number = ${lastNumber}
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId}`);
}

/**
 * Inserts annotations at the end of the transaction, which is retried if another one takes one of
 * their ids first. The caller must have locked their document, against moves to another folder too.
 */
export async function insertAnnotations(
  tx: Transaction,
  tenantId: string,
  rows: AnnotationRow[],
): Promise<void> {
  const columns = raw([...FIXED_COLUMNS, ...UPDATED_COLUMNS].join(', '));
  const statement = sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM ${await recordset(rows)}
    ), involved AS (${insertInvolvedUsersSql(tenantId)})
    INSERT INTO comment_annotations (tenant_id, ${columns})
    SELECT ${tenantId}, ${columns} FROM given ORDER BY annotation_id`;
  tx.beforeCommit(statement, { retryOn: ['comment_annotations_pkey'] });
}

/**
 * At the end of the transaction, writes `UPDATED_COLUMNS` of annotations that the caller has locked.
 * Their mentions get the same `last_updated`, because lists of mentions are sorted by it.
 */
export async function updateAnnotationRows(
  tx: Transaction,
  tenantId: string,
  rows: AnnotationRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const records = await recordset(rows);
  const ids = rows.map(({ annotationId }) => annotationId);
  tx.beforeCommit(sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM ${records}
    ), involved AS (${insertInvolvedUsersSql(tenantId)}
    ), mentions AS (
      UPDATE annotation_users u SET last_updated = given.last_updated
      FROM given
      WHERE u.tenant_id = ${tenantId} AND u.annotation_id = given.annotation_id AND u.mentioned
        ${among(sql`u.annotation_id`, ids)}
    )
    UPDATE comment_annotations a SET (${raw(UPDATED_COLUMNS.join(', '))}) =
      ROW (${raw(UPDATED_COLUMNS.map((column) => `given.${column}`).join(', '))})
    FROM given
    WHERE a.tenant_id = ${tenantId} AND a.annotation_id = given.annotation_id
      ${among(sql`a.annotation_id`, ids)}`);
}

/** Inserts comments at the end of the transaction. Their ids must not exist yet. */
export async function insertComments(
  tx: Transaction,
  tenantId: string,
  annotations: Array<{ annotationId: string; comments: CommentRow[] }>,
): Promise<void> {
  const rows = annotations.flatMap(({ annotationId, comments }) =>
    comments.map((comment) => ({
      annotation_id: annotationId,
      comment_id: comment.commentId,
      author_id: comment.from.userId,
      from_user: comment.from,
      content: comment.content,
      created_at: comment.createdAt,
      last_updated: comment.lastUpdated,
    })),
  );
  const list = await listToJson(rows);
  tx.beforeCommit(sql`
    INSERT INTO comments (tenant_id, annotation_id, comment_id, author_id, from_user, content,
      created_at, last_updated)
    SELECT ${tenantId}, annotation_id, comment_id, author_id, from_user, content, created_at,
           last_updated
    FROM jsonb_populate_recordset(NULL::comments, ${list}::jsonb)`);
}

/** Inserts new reactions at the end of the transaction. */
export function insertReactions(
  tx: Transaction,
  tenantId: string,
  annotations: Array<{ annotationId: string; reactions: ReactionRow[] }>,
): void {
  const rows = annotations.flatMap(({ annotationId, reactions }) =>
    reactions.map((reaction) => ({ annotationId, ...reaction })),
  );
  if (rows.length === 0) return;
  tx.beforeCommit(sql`
    INSERT INTO comment_reactions (tenant_id, annotation_id, comment_id, icon, user_id,
      reaction_id, "user", last_updated)
    SELECT ${tenantId}, "annotationId", "commentId", icon, "user"->>'userId', "reactionId", "user",
           "lastUpdated"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given(
      "annotationId" text, "commentId" bigint, icon text, "reactionId" text, "user" jsonb,
      "lastUpdated" bigint)`);
}

import type { KeyContext } from '../../api/context.ts';
import { empty, type Queryable, sql, type Transaction } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import type { DocumentRef } from '../access/places.ts';
import { DELETED, selectAttachments } from './attachments.ts';

/** The content of a comment or recording, which may name attachments of its document. */
interface Content {
  attachments?: unknown[] | undefined;
}

interface Issue {
  path: string;
  message: string;
}

/** The completed attachments of a document that the given contents name. */
export interface NamedAttachments {
  /** Describes the first id that belongs to no completed attachment; undefined if all do. */
  problemOf(content: Content): Issue | undefined;
  /** Returns the content with the stored name, type and size of its attachments instead of the caller's. */
  withStoredFields<Own extends Content>(content: Own): Own;
}

const NOT_COMPLETED = 'is not a completed attachment of this document';

/** Returns the id of the attachment that an entry names. Entries with a URL or without an id name none. */
function idIn(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null || 'url' in entry) return undefined;
  const { attachmentId } = entry as { attachmentId?: unknown };
  return typeof attachmentId === 'string' ? attachmentId : undefined;
}

const idsIn = (contents: readonly Content[]): string[] =>
  contents.flatMap(({ attachments = [] }) => attachments.flatMap((entry) => idIn(entry) ?? []));

/** Reads the attachments that the contents name, in one statement if there are any. */
export async function readNamedAttachments(
  ctx: KeyContext,
  db: Queryable,
  place: DocumentRef,
  contents: readonly Content[],
): Promise<NamedAttachments> {
  const ids = idsIn(contents);
  const rows = ids.length === 0 ? [] : await selectAttachments(ctx, db, place, ids);
  const completed = new Map(
    rows.filter((row) => row.completed).map((row) => [row.attachmentId, row]),
  );
  const entryWithStoredFields = (entry: unknown): unknown => {
    const row = completed.get(idIn(entry) ?? '');
    if (!row) return entry;
    return { ...(entry as object), name: row.name, type: row.type, size: Number(row.size) };
  };
  return {
    problemOf({ attachments = [] }) {
      const index = attachments.map(idIn).findIndex((id) => id !== undefined && !completed.has(id));
      if (index === -1) return undefined;
      return { path: `attachments[${index}].attachmentId`, message: NOT_COMPLETED };
    },
    withStoredFields: (content) =>
      content.attachments
        ? { ...content, attachments: content.attachments.map(entryWithStoredFields) }
        : content,
  };
}

/**
 * Returns the content with the stored fields of its attachments.
 *
 * @throws INVALID_ARGUMENT (attachment_not_found) with the path of the id below `path`
 */
export function withNamedAttachments<Own extends Content>(
  attachments: NamedAttachments,
  content: Own,
  path: string,
): Own {
  const problem = attachments.problemOf(content);
  if (!problem) return attachments.withStoredFields(content);
  const issue = { ...problem, path: `${path}.${problem.path}` };
  throw invalidArgument(`${issue.path}: ${issue.message}.`, {
    reason: 'attachment_not_found',
    details: { issues: [issue] },
  });
}

/** The comments or recordings of one document. */
type DocumentContents = DocumentRef & { contents: readonly Content[] };
/** The comments of one annotation. */
type AnnotationContents = DocumentContents & { annotationId: string };

/**
 * Links attachments, at the end of the transaction, to the annotations that name them. Users who see one
 * of these annotations may then download the attachment. Users may link their own attachments, and those
 * of others only while they are linked to no annotation.
 */
export function linkAttachments(
  { tenantId, userId }: Pick<KeyContext, 'tenantId' | 'userId'>,
  tx: Transaction,
  annotations: readonly AnnotationContents[],
): void {
  const pairs = annotations.flatMap((annotation) =>
    attachmentsIn(annotation).map((row) => ({ ...row, annotationId: annotation.annotationId })),
  );
  if (pairs.length === 0) return;
  tx.beforeCommit(sql`
    UPDATE attachments
    SET annotation_ids = ARRAY(SELECT DISTINCT unnest(annotation_ids || named.ids))
    FROM (SELECT organization_id, document_id, attachment_id, array_agg(annotation_id) AS ids
          FROM unnest(${pairs.map((pair) => pair.organizationId)}::text[],
                      ${pairs.map((pair) => pair.documentId)}::text[],
                      ${pairs.map((pair) => pair.attachmentId)}::text[],
                      ${pairs.map((pair) => pair.annotationId)}::text[])
                 AS pair(organization_id, document_id, attachment_id, annotation_id)
          GROUP BY 1, 2, 3) AS named
    WHERE attachments.tenant_id = ${tenantId} AND ${isNamed}
      ${userId === undefined ? empty : sql`AND (attachments.author_id = ${userId} OR annotation_ids = '{}')`}`);
}

/**
 * Deletes, at the end of the transaction, the attachments that deleted comments or recordings name. For
 * a user, only files that this user uploaded are deleted: comments may also name the files of others.
 */
export function deleteNamedAttachments(
  { tenantId, userId }: Pick<KeyContext, 'tenantId' | 'userId'>,
  tx: Transaction,
  deleted: readonly DocumentContents[],
): void {
  const rows = deleted.flatMap(attachmentsIn);
  if (rows.length === 0) return;
  tx.beforeCommit(sql`
    UPDATE attachments SET remove_at = ${DELETED}
    FROM unnest(${rows.map((row) => row.organizationId)}::text[],
                ${rows.map((row) => row.documentId)}::text[],
                ${rows.map((row) => row.attachmentId)}::text[])
           AS named(organization_id, document_id, attachment_id)
    WHERE attachments.tenant_id = ${tenantId} AND ${isNamed}
      ${userId === undefined ? empty : sql`AND attachments.author_id = ${userId}`}`);
}

/**
 * Unlinks attachments, at the end of the transaction, from annotations that are deleted. The empty id,
 * which no annotation has, replaces their ids. If they stayed, readers of a later annotation with the
 * same id could download the attachments; without any id, all readers of the document could.
 */
export function unlinkAnnotations(
  tx: Transaction,
  tenantId: string,
  deleted: ReadonlyArray<DocumentRef & { annotationId: string }>,
): void {
  if (deleted.length === 0) return;
  const annotationIds = deleted.map(({ annotationId }) => annotationId);
  tx.beforeCommit(sql`
    UPDATE attachments
    SET annotation_ids = ARRAY(
      SELECT DISTINCT CASE WHEN id = ANY(${annotationIds}) THEN '' ELSE id END
      FROM unnest(annotation_ids) AS linked(id))
    FROM (SELECT DISTINCT organization_id, document_id
          FROM unnest(${deleted.map(({ organizationId }) => organizationId)}::text[],
                      ${deleted.map(({ documentId }) => documentId)}::text[])
                 AS place(organization_id, document_id)) AS place
    WHERE attachments.tenant_id = ${tenantId} AND annotation_ids && ${annotationIds}::text[]
      AND attachments.organization_id = place.organization_id
      AND attachments.document_id = place.document_id`);
}

const attachmentsIn = ({ organizationId, documentId, contents }: DocumentContents) =>
  idsIn(contents).map((attachmentId) => ({ organizationId, documentId, attachmentId }));

const isNamed = sql`attachments.organization_id = named.organization_id
  AND attachments.document_id = named.document_id
  AND attachments.attachment_id = named.attachment_id`;

import type { Services } from '../../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../../api/paging.ts';
import { newestUpdate, updatedAt, updatedBy } from '../../../features/crdt/log/newest-update.ts';
import { empty, sql } from '../../../platform/database/database.ts';

const PAGE = 100;

interface StoredDocument {
  organizationId: string;
  documentId: string;
  editorId: string;
  documentName: string;
  /** Epoch milliseconds. */
  updatedAt: number;
  /** A userId; null: an API key. */
  updatedBy: string | null;
}

interface Row extends Omit<StoredDocument, 'updatedAt'> {
  updatedAt: Date;
}

/** A page of the editors with content, with the time and author of the last edit. */
export async function listStored(
  { db, secrets }: Pick<Services, 'db' | 'secrets'>,
  tenantId: string,
  pageToken: string | undefined,
) {
  const query = { operation: 'console.liveDocuments.stored', tenantId, filters: {} };
  const [organizationId, documentId, editorId] = readPageToken(secrets, query, pageToken) ?? [];
  const fromPage =
    organizationId === undefined
      ? empty
      : sql`AND (organization_id, document_id, editor_id)
              > (${organizationId}, ${documentId}, ${editorId})`;
  const found = await db.query<Row>(sql`
    SELECT c.organization_id AS "organizationId", c.document_id AS "documentId",
           c.editor_id AS "editorId", d.document_name AS "documentName",
           ${updatedAt} AS "updatedAt", ${updatedBy} AS "updatedBy"
    FROM (
      SELECT * FROM crdt_documents WHERE tenant_id = ${tenantId} ${fromPage}
      ORDER BY organization_id, document_id, editor_id LIMIT ${PAGE + 1}
    ) c JOIN documents d USING (tenant_id, organization_id, document_id) ${newestUpdate}
    ORDER BY c.organization_id, c.document_id, c.editor_id`);
  const { rows, nextPageToken } = pageOf(found, PAGE, (last) =>
    writePageToken(secrets, query, [last.organizationId, last.documentId, last.editorId]),
  );
  return {
    data: rows.map((row) => ({ ...row, updatedAt: row.updatedAt.getTime() })),
    nextPageToken,
  };
}

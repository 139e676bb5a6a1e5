import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';

/** Which of these Yjs clients have written to an editor, and for which user. */
export async function readClientOwners(
  db: Queryable,
  { tenantId, organizationId, documentId, editorId }: LiveDocumentName,
  clients: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query<{ client: number; userId: string }>(sql`
    SELECT o.client_id::float8 AS client, o.user_id AS "userId"
    FROM crdt_documents c JOIN crdt_clients o USING (tenant_id, log_id)
    WHERE tenant_id = ${tenantId} AND c.organization_id = ${organizationId}
      AND c.document_id = ${documentId} AND c.editor_id = ${editorId}
      AND o.client_id = ANY(${clients}::bigint[])`);
  return new Map(rows.map(({ client, userId }) => [client, userId]));
}

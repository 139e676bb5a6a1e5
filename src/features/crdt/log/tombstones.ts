import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import { editorInput } from './editor-input.ts';

/** Returns the Yjs clients that wrote to deleted content of this name. */
export async function loadTombstone(
  db: Queryable,
  { tenantId, organizationId, documentId, editorId }: LiveDocumentName,
): Promise<number[]> {
  const [tombstone] = await db.query<{ clients: string[] }>(sql`
    SELECT clients::text[] FROM crdt_tombstones
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND editor_id = ${editorId}`);
  return tombstone?.clients.map(Number) ?? [];
}

/** Returns the ids of the logs of those editors that exist. */
export async function existingLogs(
  db: Queryable,
  names: readonly LiveDocumentName[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ logId: string }>(sql`
    SELECT log_id AS "logId" FROM crdt_documents /* background */
    JOIN ${editorInput(names)} USING (tenant_id, organization_id, document_id, editor_id)`);
  return new Set(rows.map(({ logId }) => logId));
}

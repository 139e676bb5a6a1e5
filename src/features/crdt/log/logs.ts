import { join, type Queryable, raw, type Sql, sql } from '../../../platform/database/database.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';

/**
 * SQL for a table `input` with a row for each editor, so that one statement handles many of them. Its
 * column `position` counts from 1.
 *
 * @param more arrays with a value for each editor, by the names of their columns
 */
export function editorInput(
  names: readonly LiveDocumentName[],
  more: Record<string, Sql> = {},
): Sql {
  const textsOf = (field: keyof LiveDocumentName) =>
    sql`${names.map((name) => name[field])}::text[]`;
  const arrays = {
    tenant_id: textsOf('tenantId'),
    organization_id: textsOf('organizationId'),
    document_id: textsOf('documentId'),
    editor_id: textsOf('editorId'),
    ...more,
  };
  const columns = Object.keys(arrays).map((column) => raw(column));
  return sql`
    unnest(${join(Object.values(arrays))})
      WITH ORDINALITY AS input(${join(columns)}, position)`;
}

/**
 * SQL that creates logs for editors without one, if their documents exist. The lock waits for a
 * concurrent deletion of a document, whose editors are then left out.
 */
export const missingLogInsertion = (names: readonly LiveDocumentName[], now: Date): Sql => sql`
    INSERT INTO crdt_documents
      (tenant_id, organization_id, document_id, editor_id, log_id, updated_at)
    SELECT tenant_id, organization_id, document_id, editor_id, gen_random_uuid(), ${now}::timestamptz
    FROM ${editorInput(names)} JOIN documents USING (tenant_id, organization_id, document_id)
    ORDER BY tenant_id, organization_id, document_id, editor_id FOR KEY SHARE OF documents
    ON CONFLICT DO NOTHING`;

/** Returns the log ids of those editors that exist. */
export async function existingLogs(
  db: Queryable,
  names: readonly LiveDocumentName[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ logId: string }>(sql`
    SELECT log_id AS "logId" FROM crdt_documents /* background */
    JOIN ${editorInput(names)} USING (tenant_id, organization_id, document_id, editor_id)`);
  return new Set(rows.map(({ logId }) => logId));
}

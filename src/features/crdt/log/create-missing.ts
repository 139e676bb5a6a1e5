import { type Queryable, type Sql, sql } from '../../../platform/database/database.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import { editorInput } from './editor-input.ts';

/**
 * Creates logs for editors without one, if their documents exist. The lock waits for a concurrent
 * deletion of a document, whose editors are then left out.
 */
export async function createMissingLogs(
  db: Queryable,
  names: readonly LiveDocumentName[],
  now: Date,
): Promise<void> {
  const creation = logCreation(names, now);
  if (creation) await db.query(creation);
}

/** Returns the statement for `createMissingLogs`; undefined for no names. */
export function logCreation(names: readonly LiveDocumentName[], now: Date): Sql | undefined {
  if (names.length === 0) return undefined;
  return sql`
    INSERT INTO crdt_documents
      (tenant_id, organization_id, document_id, editor_id, log_id, updated_at)
    SELECT tenant_id, organization_id, document_id, editor_id, gen_random_uuid(), ${now}::timestamptz
    FROM ${editorInput(names)} JOIN documents USING (tenant_id, organization_id, document_id)
    ORDER BY tenant_id, organization_id, document_id, editor_id FOR KEY SHARE OF documents
    ON CONFLICT DO NOTHING`;
}

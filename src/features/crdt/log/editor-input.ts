import { empty, join, raw, type Sql, sql } from '../../../platform/database/database.ts';
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
  const values = Object.values(more).map((array) => sql`, ${array}`);
  const columns = Object.keys(more).map((column) => raw(`, ${column}`));
  return sql`
    unnest(${names.map((name) => name.tenantId)}::text[],
           ${names.map((name) => name.organizationId)}::text[],
           ${names.map((name) => name.documentId)}::text[],
           ${names.map((name) => name.editorId)}::text[]${join([empty, ...values], '')})
      WITH ORDINALITY AS input(tenant_id, organization_id, document_id, editor_id${join([empty, ...columns], '')},
                               position)`;
}

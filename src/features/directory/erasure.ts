import { type Sql, sql } from '../../platform/database/database.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

const fields = (name: string, table: Sql, key: string[]) =>
  walkRows({ name, table, key, columns: { metadata: 'metadata::jsonb' } });

/** Fields of callers' own may name people. */
export const fieldsNamingErased = [
  fields('organizationFields', sql`organizations t`, ['organization_id']),
  fields('folderFields', sql`folders t`, ['organization_id', 'folder_id']),
  fields('documentFields', sql`documents t`, ['organization_id', 'document_id']),
];

import { type Sql, sql } from '../../platform/database/database.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

/** Creates the step for one table, which has the alias `t`. */
const metadataStep = (name: string, table: Sql, key: string[]) =>
  walkRows({ name, table, key, columns: { metadata: 'metadata::jsonb' } });

/** Steps that remove erased users from the metadata of organizations, folders and documents, which may name users. */
export const eraseInResourceMetadata = [
  metadataStep('organizationFields', sql`organizations t`, ['organization_id']),
  metadataStep('folderFields', sql`folders t`, ['organization_id', 'folder_id']),
  metadataStep('documentFields', sql`documents t`, ['organization_id', 'document_id']),
];

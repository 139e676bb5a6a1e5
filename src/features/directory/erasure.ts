import { sql } from '../../platform/database/database.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

export const organizationsNamingErased = walkRows({
  name: 'organizationFields',
  table: sql`organizations t`,
  key: ['organization_id'],
  columns: { metadata: 'metadata::jsonb' },
});

export const foldersNamingErased = walkRows({
  name: 'folderFields',
  table: sql`folders t`,
  key: ['organization_id', 'folder_id'],
  columns: { metadata: 'metadata::jsonb' },
});

export const documentsNamingErased = walkRows({
  name: 'documentFields',
  table: sql`documents t`,
  key: ['organization_id', 'document_id'],
  columns: { metadata: 'metadata::jsonb' },
});

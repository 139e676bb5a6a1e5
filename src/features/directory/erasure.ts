import { type Sql, sql } from '../../platform/database/database.ts';
import { walkMetadata } from '../../platform/erasure/walk-rows.ts';

const organizationKey: [Sql, Sql] = [sql`t.organization_id`, sql`text`];

export const organizationsNamingErased = walkMetadata({
  name: 'organizationFields',
  table: sql`organizations t`,
  key: [organizationKey],
});

export const foldersNamingErased = walkMetadata({
  name: 'folderFields',
  table: sql`folders t`,
  key: [organizationKey, [sql`t.folder_id`, sql`text`]],
});

export const documentsNamingErased = walkMetadata({
  name: 'documentFields',
  table: sql`documents t`,
  key: [organizationKey, [sql`t.document_id`, sql`text`]],
});

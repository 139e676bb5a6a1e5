import { sql } from '../../../platform/database/database.ts';
import { walkRows } from '../../../platform/erasure/walk-rows.ts';

/** Metadata may name users, e.g. as the owner. */
export const documentsNamingErased = walkRows({
  name: 'documentFields',
  table: sql`documents t`,
  key: [
    [sql`t.organization_id`, sql`text`],
    [sql`t.document_id`, sql`text`],
  ],
  record: sql`json_build_object('metadata', t.metadata)`,
  set: () => sql`metadata = (record->'metadata')::jsonb`,
});

import { sql } from '../../platform/database/database.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';

export const erasedGrants = removeRows({
  name: 'grants',
  table: sql`grants`,
  key: sql`organization_id, resource_type, resource_id, user_id`,
});

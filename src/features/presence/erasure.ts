import { sql } from '../../platform/database/database.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';

/** These tables have no index by user: they are small and written all the time. */
export const erasedPresence = removeRows({
  name: 'presence',
  table: sql`presence`,
  key: sql`organization_id, document_id, user_id`,
});
export const erasedConnections = removeRows({
  name: 'presenceConnections',
  table: sql`presence_connections`,
  key: sql`organization_id, document_id, user_id, process_id`,
});

import { sql } from '../../platform/database/database.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';

/** No index finds a user in these tables: they hold who is there now, and are written all the time. */
export const erasedPresence = removeRows({ name: 'presence', table: sql`presence` });
export const erasedConnections = removeRows({
  name: 'presenceConnections',
  table: sql`presence_connections`,
});

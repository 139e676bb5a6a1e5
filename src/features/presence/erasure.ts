import { sql } from '../../platform/database/database.ts';
import type { DependentRows } from '../../platform/erasure/dependent-rows.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';
import { TIMEOUT_MS } from './read-presence.ts';

// These steps read whole tables, which are small. An index on the user would slow down the many writes to them.

export const erasePresence = removeRows({
  name: 'presence',
  table: sql`presence`,
  key: sql`organization_id, document_id, user_id`,
});
export const erasePresenceConnections = removeRows({
  name: 'presenceConnections',
  table: sql`presence_connections`,
  key: sql`organization_id, document_id, user_id, process_id`,
});

/**
 * SQL: deletes the presence on deleted documents. When an organization is deleted, `isDeleted` holds for all
 * its rows, including presence on documents that never existed.
 */
export const presenceOnDocuments: DependentRows = (tenantId, isDeleted) => sql`
  WITH disconnected AS (
    DELETE FROM presence_connections WHERE tenant_id = ${tenantId} AND ${isDeleted(sql`document_id`)}
  )
  DELETE FROM presence WHERE tenant_id = ${tenantId} AND ${isDeleted(sql`document_id`)}`;

/**
 * SQL: makes the presence of removed members time out now. Reads show them as offline at once, and the next run
 * of `publishTimeouts` publishes that.
 */
export const presenceOfMembers: DependentRows = (tenantId, isDeleted) => sql`
  UPDATE presence SET seen_at = seen_at - make_interval(secs => ${TIMEOUT_MS / 1000})
  WHERE tenant_id = ${tenantId} AND ${isDeleted(sql`user_id`)} AND NOT lapsed`;

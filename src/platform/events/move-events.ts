import { sql } from '../database/database.ts';

/** PostgreSQL notifies all processes on this channel that the log has grown. */
export const LOG_CHANNEL = 'event_log';

const SEQUENCER_LOCK = 7_241_994;
/** The most events in one move. A new event may have to wait until the running move has ended. */
export const MAX_MOVED = 2_000;
/** The most events of one tenant in one move, so that many of them do not delay the events of others. */
export const MAX_MOVED_OF_TENANT = 500;
/** If a process is suspended between its move and COMMIT, PostgreSQL ends the move after this time. */
const MAX_LOCK_MS = 2_000;

/** SQL: the columns that the outbox and the log share. */
export const eventColumns = sql`tenant_id, id, type, organization_id, document_id, channels, data, created_at`;

/**
 * SQL: locks the sequencer until the commit, so that the next mover numbers its events only once ours are
 * visible. If this process is suspended before it sends COMMIT, the server ends the transaction.
 */
export const lockSequencer = sql`
  SELECT set_config('idle_in_transaction_session_timeout', ${String(MAX_LOCK_MS)}, true),
         pg_advisory_xact_lock(${SEQUENCER_LOCK})`;

/**
 * SQL: moves the first event of each tenant, then the second of each, and so on. `tenants` jumps in
 * the index from each tenant to the next, so that it does not read all rows.
 *
 * Picked rows are deleted by their position in the table (ctid), which is faster than by key. The plan
 * then does not depend on the table's statistics, which change as the table fills and empties. A ctid
 * stays valid, because only the holder of the lock deletes from this table.
 */
export const moveFromOutbox = sql`
  WITH RECURSIVE tenants AS (
    (SELECT tenant_id FROM event_outbox /* all tenants, background */ ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT later.tenant_id FROM event_outbox later
            WHERE later.tenant_id > tenants.tenant_id ORDER BY later.tenant_id LIMIT 1)
    FROM tenants WHERE tenants.tenant_id IS NOT NULL
  ), picked AS MATERIALIZED (
    SELECT waiting.ctid, turn
    FROM tenants CROSS JOIN LATERAL (
      SELECT ctid, position, row_number() OVER (ORDER BY position)::int AS turn
      FROM event_outbox WHERE tenant_id = tenants.tenant_id
      ORDER BY position LIMIT ${MAX_MOVED_OF_TENANT}
    ) AS waiting
    ORDER BY turn, position LIMIT ${MAX_MOVED}
  ), moved AS (
    DELETE FROM event_outbox WHERE ctid = ANY(ARRAY(SELECT ctid FROM picked)) RETURNING *
  ), logged AS (
    INSERT INTO events (${eventColumns})
    SELECT ${eventColumns} FROM (SELECT * FROM moved ORDER BY position) AS in_order
    RETURNING type
  )
  SELECT type, count(*)::int AS count, (SELECT max(turn) FROM picked) AS "maxOfOneTenant",
         pg_notify(${LOG_CHANNEL}, '')
  FROM logged GROUP BY type`;

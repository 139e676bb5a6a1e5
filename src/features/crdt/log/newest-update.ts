import { sql } from '../../../platform/database/database.ts';

/**
 * SQL that joins the last log row to an editor `c`, for `newestVersion`, `updatedAt` and
 * `updatedBy`. Because of this join, typing writes only to the log and not to the editor's row.
 */
export const newestUpdate = sql`
  LEFT JOIN LATERAL (
    SELECT u.first_version, u.version, u.created_at, u.user_id, octet_length(u.updates) AS bytes
    FROM crdt_updates u
    WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id
    ORDER BY u.first_version DESC LIMIT 1
  ) newest ON true`;

/** SQL for the stored bytes of an editor `c`: its snapshot and the log after it. */
export const storedBytes = sql`
  (coalesce(octet_length(c.snapshot), 0) + coalesce((
    SELECT sum(octet_length(u.updates)) FROM crdt_updates u
    WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id
      AND u.version > c.snapshot_version), 0))::int`;

/** SQL for the version of the last update, or of the snapshot if the log has been compacted completely. */
export const newestVersion = sql`coalesce(newest.version, c.snapshot_version)`;
export const updatedAt = sql`coalesce(newest.created_at, c.updated_at)`;
export const updatedBy = sql`
  CASE WHEN newest.version IS NULL THEN c.updated_by ELSE newest.user_id END`;

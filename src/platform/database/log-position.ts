import { type Queryable, sql } from './database.ts';

/**
 * A place in the write-ahead log. Places compare only within one lineage: the cluster and its
 * timeline, which changes with a failover.
 */
export interface LogPosition {
  lineage: string;
  bytes: bigint;
}

interface Row {
  lineage: string;
  bytes: string;
}

/**
 * Up to where the primary has written. Every commit that was acknowledged before the question lies
 * before it. With `synchronous_commit` off, commits are acknowledged before they are flushed.
 */
export async function writtenPosition(primary: Queryable): Promise<LogPosition> {
  const rows = await primary.query<Row>(sql`
    SELECT system_identifier || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) AS lineage,
           (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
            ELSE pg_current_wal_flush_lsn() END - '0/0')::text AS bytes
    FROM pg_control_system()`);
  return positionOf(rows);
}

/**
 * Up to where a replica has replayed. A statement that runs after the answer, on the same connection,
 * sees everything before it. A server that is no replica has replayed nothing.
 */
export async function replayedPosition(replica: Queryable): Promise<LogPosition> {
  const rows = await replica.query<Row>(sql`
    SELECT system_identifier || ' ' || upper(lpad(to_hex(timeline_id), 8, '0')) AS lineage,
           CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::text ELSE '0' END
             AS bytes
    FROM pg_control_system(), pg_control_checkpoint()`);
  return positionOf(rows);
}

const positionOf = ([row]: Row[]): LogPosition => ({
  lineage: row?.lineage ?? '',
  bytes: BigInt(row?.bytes ?? 0),
});

export const hasReached = (position: LogPosition, target: LogPosition): boolean =>
  position.lineage === target.lineage && position.bytes >= target.bytes;

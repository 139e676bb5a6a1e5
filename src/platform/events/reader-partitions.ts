import { empty, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts';
import { type LoggedEvent, loggedColumns } from './logged-events.ts';

/**
 * Readers of the log divide its tenants into this many partitions. All events of a tenant are in one
 * partition, so several processes may read different partitions at a time. Another number would
 * move tenants to partitions with other positions, so it needs a migration.
 */
export const PARTITIONS = 16;

/** SQL: the partition of a tenant. PostgreSQL keeps these hashes across its versions. */
export const partitionOf = (tenantId: Sql): Sql =>
  sql`(hashtext(${tenantId}) & ${PARTITIONS - 1}::int)`;

/** SQL that creates the positions of new readers, which begin with the next event. */
export const insertReaders = (names: string[]): Sql => sql`
  WITH reader AS (
    INSERT INTO event_readers (name, sequence)
    SELECT name, COALESCE((SELECT max(sequence) FROM events /* all tenants, background */), 0)
    FROM unnest(${names}::text[]) AS reader(name) ORDER BY name
    ON CONFLICT DO NOTHING
  )
  INSERT INTO event_reader_partitions (name, partition)
  SELECT name, partition
  FROM unnest(${names}::text[]) AS reader(name), generate_series(0, ${PARTITIONS - 1}::int) AS partition
  ORDER BY name, partition
  ON CONFLICT DO NOTHING`;

/** The events that a reader handles, as `EventReader` describes them. */
export interface Selection {
  name: string;
  types?: readonly string[];
  where?: Sql;
  needsNoData?: boolean;
}

/** An event, and the partition of its tenant. */
export type ClaimedEvent = LoggedEvent & { partition: number };

/** The next events of the partitions that a reader has claimed. */
interface Batch {
  events: ClaimedEvent[];
  /** The claimed partitions as text; null if none is behind, or other processes have claimed all that are behind. */
  partitions: string | null;
  /** The last position of the log. */
  newest: string;
}

/** All rows of a batch share its claim. A batch without events is one row, in which the columns of the event are null. */
type BatchRow = Omit<Batch, 'events'> & (ClaimedEvent | Record<keyof ClaimedEvent, null>);

/**
 * Claims, until the end of the transaction, the partitions of a reader that are furthest behind, among
 * those that no other process has locked. Reads the events after their positions.
 *
 * Partitions of a new reader have the position 0, so they start from the position of the reader itself.
 * `positions` has an element for each partition, which is null if the partition is not claimed.
 *
 * @param claim how many partitions to claim, those not to claim, and the most events to read
 * @returns undefined if the reader was not registered (`insertReaders`)
 */
export async function claimBatch(
  tx: Transaction,
  { name, types, where, needsNoData }: Selection,
  { count, excluded, limit }: { count: number; excluded: number[]; limit: number },
): Promise<Batch | undefined> {
  const rows = await tx.query<BatchRow>(sql`
    WITH log AS MATERIALIZED (SELECT COALESCE(max(sequence), 0) AS newest FROM events),
    reader AS MATERIALIZED (
      SELECT name, sequence AS reader_position FROM event_readers /* all tenants, background */
      WHERE name = ${name}
    ), locked AS MATERIALIZED (
      SELECT partition, GREATEST(own.sequence, reader_position) AS position
      FROM reader CROSS JOIN log JOIN event_reader_partitions AS own USING (name)
      WHERE GREATEST(own.sequence, reader_position) < newest AND partition <> ALL(${excluded}::int[])
      ORDER BY own.sequence, partition LIMIT ${count} FOR UPDATE OF own SKIP LOCKED
    ), claimed AS MATERIALIZED (
      SELECT (SELECT array_agg(partition) FROM locked)::text AS partitions,
             (SELECT min(position) FROM locked) AS first_position,
             ARRAY(SELECT position FROM generate_series(0, ${PARTITIONS - 1}::int) AS partition
                   LEFT JOIN locked USING (partition) ORDER BY partition) AS positions
      FROM reader
    )
    SELECT newest::text, partitions, event.*
    FROM claimed CROSS JOIN log LEFT JOIN LATERAL (
      SELECT ${loggedColumns(needsNoData ? sql`NULL::jsonb` : undefined)}, partition
      FROM events CROSS JOIN LATERAL (SELECT ${partitionOf(sql`tenant_id`)} AS partition) AS own
      WHERE sequence > first_position AND sequence <= newest AND sequence > positions[1 + partition]
        ${types ? sql`AND type = ANY(${[...types]})` : empty}
        ${where ? sql`AND ${where}` : empty}
      ORDER BY events.sequence LIMIT ${limit}
    ) AS event ON true
    ORDER BY event.sequence::bigint`);
  const [first] = rows;
  return first && { ...first, events: rows.filter((row) => row.sequence !== null) };
}

/**
 * When this transaction commits, advances the partitions that it has claimed. The position of the
 * reader as a whole becomes that of the partition that is furthest behind. If several processes
 * commit at once, it may lag until the next call.
 *
 * @param partitions as `claimBatch` returns them; null advances none
 */
export function advance(
  tx: Transaction,
  name: string,
  partitions: string | null,
  sequence: string,
): void {
  if (partitions !== null) {
    tx.beforeCommit(sql`
      UPDATE event_reader_partitions /* all tenants, background */
      SET sequence = GREATEST(sequence, ${sequence}::bigint)
      WHERE name = ${name} AND partition = ANY(${partitions}::int[])`);
  }
  tx.beforeCommit(sql`
    UPDATE event_readers /* all tenants, background */ SET sequence = least.sequence
    FROM (SELECT min(sequence) AS sequence FROM event_reader_partitions WHERE name = ${name}) AS least
    WHERE name = ${name} AND event_readers.sequence < least.sequence`);
}

/** SQL that locks a tenant's partition of a reader until the transaction ends, as a batch does. */
export const lockPartition = (name: string, tenantId: string): Sql => sql`
  SELECT 1 FROM event_reader_partitions /* all tenants, background */
  WHERE name = ${name} AND partition = ${partitionOf(sql`${tenantId}::text`)} FOR UPDATE`;

/** Waits until no reader holds events of a tenant that it read before this call. */
export async function awaitReaders(db: Queryable, tenantId: string): Promise<void> {
  await db.query(sql`
    SELECT 1 FROM event_readers /* all tenants, background */
    JOIN event_reader_partitions USING (name)
    WHERE partition = ${partitionOf(sql`${tenantId}::text`)}
    ORDER BY name FOR KEY SHARE`);
}

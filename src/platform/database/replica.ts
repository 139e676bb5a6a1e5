import { setTimeout as delay } from 'node:timers/promises';
import { coalesceCalls } from '../coalesce-calls.ts';
import type { Logger } from '../logging.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { waitFor } from '../wait-for.ts';
import { type Database, type Queryable, type Sql, sql } from './database.ts';
import { classifyDatabaseError } from './database-errors.ts';
import { pipeline } from './pipeline.ts';

/** The longest wait for the replica to replay what the primary has written. */
const MAX_REPLAY_WAIT_MS = 20;
const POLL_INTERVAL_MS = 1;
/** The longest wait for the replica to report its position. */
const REPORT_MS = 500;
/** The least time between two checks whether a replica that was behind or unreachable has caught up. */
const CHECK_INTERVAL_MS = 250;

const NOWHERE: WalPosition = { lineage: '', bytes: 0n };

interface ReplicaDependencies {
  primary: Database;
  replica: Database;
  log: Logger;
  metrics: Metrics;
}

/** A streaming replica, and whether it follows the primary closely enough to serve reads. */
export class Replica {
  readonly database: Database;
  readonly #deps: ReplicaDependencies;
  readonly #readWritten: () => Promise<WalPosition>;
  readonly #readReplayed: () => Promise<WalPosition>;
  /**
   * The last position that the replica reported. The replica is not asked again about earlier positions:
   * `read` checks each time that it has not fallen back.
   */
  #lastReplayed = NOWHERE;
  /** Whether the replica serves reads; undefined until the first check has ended. */
  #follows: boolean | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ReplicaDependencies) {
    this.#deps = deps;
    this.database = deps.replica;
    this.#readWritten = coalesceCalls(() => writtenPosition(deps.primary));
    this.#readReplayed = coalesceCalls(() => replayedInTime(deps.replica));
    // Both metric series exist from the start, so that they can be compared while one is still 0.
    for (const server of ['primary', 'replica']) deps.metrics.replicaReads.inc({ server }, 0);
    this.#check();
  }

  /**
   * Returns a position that the replica has reached and that follows every write acknowledged before
   * the call; undefined if the replica is unreachable or behind, so that the primary has to serve.
   */
  async position(): Promise<WalPosition | undefined> {
    let position: WalPosition | undefined;
    if (this.#follows) position = await this.#waitUntilCaughtUp();
    else this.#check();
    this.#deps.metrics.replicaReads.inc({ server: position ? 'replica' : 'primary' });
    return position;
  }

  /**
   * Runs a statement that only reads.
   *
   * @param replicaDb `database`, or what `database.for` returns for the consumer that reads
   * @returns the rows, and the position that the replica had replayed before it read them; undefined
   *   if it had not yet reached `needed`, or failed
   */
  async read<Row extends object>(replicaDb: Database, statement: Sql, needed: WalPosition) {
    try {
      const [position, rows] = await replicaDb.onOneConnection((replica) =>
        pipeline([replayedPosition(replica), replica.query<Row>(statement)]),
      );
      if (hasReached(position, needed)) return { position, rows };
      this.#stopReads({ reason: 'It has fallen back to an earlier position.' });
    } catch (error) {
      const status = classifyDatabaseError(error)?.status;
      if (status === 'UNAVAILABLE') this.#stopReads({ err: error });
      // ABORTED: the replica canceled a statement that kept it from replaying. The primary runs it instead.
      else if (status !== 'ABORTED') throw error;
    }
    return undefined;
  }

  /**
   * Waits briefly until the replica has replayed what the primary has written.
   *
   * @returns the position that the replica has reached; undefined if it is behind or unreachable
   */
  async #waitUntilCaughtUp(): Promise<WalPosition | undefined> {
    const written = await this.#readWritten().catch(() => undefined);
    if (!written) return undefined;
    try {
      if (await this.#catchesUpWith(written)) return written;
      this.#stopReads({ reason: 'It is behind, or not a replica of this primary.' });
    } catch (error) {
      this.#stopReads({ err: error });
    }
    return undefined;
  }

  async #catchesUpWith(written: WalPosition): Promise<boolean> {
    const deadline = performance.now() + MAX_REPLAY_WAIT_MS;
    while (!hasReached(this.#lastReplayed, written)) {
      if (performance.now() > deadline) return false;
      this.#lastReplayed = await this.#readReplayed();
      if (!hasReached(this.#lastReplayed, written)) await delay(POLL_INTERVAL_MS);
    }
    return true;
  }

  /** Checks in the background whether the replica follows. No call waits for this. */
  #check(): void {
    const now = performance.now();
    if (now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    void this.#waitUntilCaughtUp().then((position) => {
      if (!position || this.#follows) return;
      this.#follows = true;
      this.#deps.log.info({}, 'The read replica serves reads.');
    });
  }

  #stopReads(facts: { err: unknown } | { reason: string }): void {
    this.#lastReplayed = NOWHERE;
    if (this.#follows === false) return;
    this.#follows = false;
    this.#checkedAt = performance.now();
    this.#deps.log.warn(facts, 'The read replica does not follow. The primary serves reads.');
  }
}

/** @throws Error when the replica takes longer than `REPORT_MS` to report its position */
async function replayedInTime(replica: Database): Promise<WalPosition> {
  const position = await waitFor(replayedPosition(replica), REPORT_MS);
  if (!position) throw new Error('The read replica does not respond.');
  return position;
}

/**
 * A position in the write-ahead log. Positions can only be compared within one lineage, which is the
 * cluster and its timeline: a failover begins a new timeline.
 */
export interface WalPosition {
  lineage: string;
  bytes: bigint;
}

interface PositionRow {
  lineage: string;
  bytes: string;
}

/**
 * The position up to which the primary has written. It follows every commit that was acknowledged
 * before this call, even those that are not flushed yet (with `synchronous_commit` off).
 */
export async function writtenPosition(primary: Queryable): Promise<WalPosition> {
  const rows = await primary.query<PositionRow>(sql`
    SELECT system_identifier || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) AS lineage,
           (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
            ELSE pg_current_wal_flush_lsn() END - '0/0')::text AS bytes
    FROM pg_control_system()`);
  return positionOf(rows);
}

/**
 * The position up to which a replica has replayed. A later statement on the same connection sees
 * everything before this position. A server that is not a replica has replayed nothing.
 */
export async function replayedPosition(replica: Queryable): Promise<WalPosition> {
  const rows = await replica.query<PositionRow>(sql`
    SELECT system_identifier || ' ' || upper(lpad(to_hex(timeline_id), 8, '0')) AS lineage,
           CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::text ELSE '0' END
             AS bytes
    FROM pg_control_system(), pg_control_checkpoint()`);
  return positionOf(rows);
}

const positionOf = ([row]: PositionRow[]): WalPosition => ({
  lineage: row?.lineage ?? '',
  bytes: BigInt(row?.bytes ?? 0),
});

const hasReached = (position: WalPosition, target: WalPosition): boolean =>
  position.lineage === target.lineage && position.bytes >= target.bytes;

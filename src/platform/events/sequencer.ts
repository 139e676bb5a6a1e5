import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { type Database, type Queryable, type Sql, sql } from '../database/database.ts';
import type { Logger } from '../logging.ts';
import { BackgroundLoop } from '../loops/background-loop.ts';
import type { DueWork } from '../loops/due-work.ts';
import type { Metrics } from '../metrics.ts';

/** An event without its data: what a subscriber needs to know that something changed. */
export interface FeedEvent {
  sequence: string;
  tenantId: string;
  type: string;
  organizationId: string | null;
  documentId: string | null;
}

/** Events that were moved together and are neighbours in the log. */
export interface Move {
  /** The last event before them; '0' without any. */
  previous: string;
  events: FeedEvent[];
}

/**
 * PostgreSQL notifies other processes on this channel that the log has grown. The payload is the id
 * of the database object whose process moved the events, which needs no notification.
 */
export const LOG_CHANNEL = 'event_log';

const SEQUENCER_LOCK = 7_241_994;
/** Events in one move: few, since an event may also have to wait for the move before its own. */
const BATCH = 2_000;
/** Events of one tenant in one move, so that many events of one tenant do not delay the others. */
const TENANT_BATCH = 500;
const VACUUM_EVERY = 20_000;
/** Ends a move whose process was suspended before COMMIT; COMMIT is sent along with the move. */
const HOLD_MS = 2_000;
/**
 * How long events gather after a move of many: under load, many changes wake the readers once, while
 * the event of a single change is published at once.
 */
const GATHER_MS = 15;
const MANY = 4;
/** How long an event may wait before writers are slowed down, and by how much at most. */
const LATE_MS = 5_000;
const MAX_SLOWDOWN_MS = 2_000;
/** For how long it counts that an event waited; the next look at due work is made by then. */
const SEEN_MS = 2_500;

export interface SequencerParts {
  db: Database;
  /**
   * Connections for moves alone, so that moves do not queue behind the changes that make events.
   */
  moves: Pick<Database, 'transaction'>;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** Moves committed events from the outbox into the log, one mover at a time in all processes. */
export class Sequencer {
  readonly #parts: SequencerParts;
  #moving: Promise<boolean> = Promise.resolve(false);
  #queued: Promise<boolean> | undefined;
  readonly #loop: BackgroundLoop;
  #leaveDueWork: (() => void) | undefined;
  readonly #subscribers = new Set<(move: Move) => void>();
  #lastMoved = 0;
  /** For how long the oldest event waited when it was last looked for, and until when that counts. */
  #late = { ms: 0, until: 0 };
  /** Rows of the outbox that this process has moved since it was vacuumed. */
  #dead = 0;

  constructor(parts: SequencerParts) {
    this.#parts = parts;
    this.#loop = new BackgroundLoop(parts, {
      name: 'event sequencer',
      pauseMs: () => (this.#lastMoved < MANY ? 0 : GATHER_MS),
      run: () => this.#empty(),
      failure: 'Events wait in the outbox until the database is back.',
    });
    this.#loop.start();
  }

  /** From here on, events of a process that died after its commit are moved into the log too. */
  start(dueWork: Pick<DueWork, 'watch'>): void {
    this.#leaveDueWork = dueWork.watch(
      () => sql`
        SELECT LEAST(extract(epoch FROM created_at) * 1000, ${this.#parts.clock.now()}::float8)
        FROM event_outbox ORDER BY position LIMIT 1`,
      (createdAt) => {
        const now = this.#parts.clock.now();
        this.#late = { ms: now - createdAt, until: performance.now() + SEEN_MS };
        this.#loop.wake();
      },
    );
  }

  async stop(): Promise<void> {
    this.#leaveDueWork?.();
    await this.#loop.stop();
    await this.sequence().catch(() => undefined);
  }

  /**
   * Calls back with each move of this process, in the order of the log, until the function that is
   * returned is called.
   */
  onMove(subscriber: (move: Move) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Events were committed to the outbox. */
  wake(): void {
    this.#loop.wake();
  }

  /**
   * Moves all events that were committed before the call into the log: those of one tenant, or all.
   * Events that are committed later are not waited for.
   */
  async sequence(tenantId?: string, db: Queryable = this.#parts.db): Promise<void> {
    let newest = await newestWaiting(db, tenantId);
    while (newest !== null) {
      await this.#nextMove();
      newest = await newestWaiting(db, tenantId, newest);
    }
  }

  /**
   * Delays a writer while events have waited for long, up to two seconds, so that writers do not
   * fill the disk with events that nobody can read yet.
   */
  async slowDown(signal?: AbortSignal): Promise<void> {
    const { ms, until } = this.#late;
    if (ms < LATE_MS || performance.now() > until) return;
    const delayMs = Math.min(ms / 10, MAX_SLOWDOWN_MS);
    await delay(delayMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }

  /** Returns for how long the oldest event in the outbox has waited; 0 when it is empty. */
  async longestWaitMs(): Promise<number> {
    const [oldest] = await this.#parts.db.query<{ createdAt: Date }>(sql`
      SELECT created_at AS "createdAt" FROM event_outbox /* all tenants, background */
      ORDER BY position LIMIT 1`);
    return oldest ? Math.max(0, this.#parts.clock.now() - oldest.createdAt.getTime()) : 0;
  }

  /** Runs a move that begins after the call: a running one may have begun too early to see all. */
  #nextMove(): Promise<boolean> {
    this.#queued ??= this.#moving
      .catch(() => undefined)
      .then(() => {
        this.#queued = undefined;
        this.#moving = this.#move();
        return this.#moving;
      });
    return this.#queued;
  }

  async #empty(): Promise<void> {
    while (await this.#nextMove());
  }

  /** @returns whether there may be more */
  async #move(): Promise<boolean> {
    let moved: Moved | undefined;
    await this.#parts.moves.transaction(async (tx) => {
      // The lock is a separate statement, so that the next one sees the previous mover's commit.
      tx.beforeCommit(lockSequencer);
      tx.beforeCommit<Moved>(moveFromOutbox(this.#parts.db.id), {
        use: ([row]) => {
          moved = row;
        },
      });
    });
    this.#lastMoved = moved?.events.length ?? 0;
    if (!moved) return false;
    const { events, turns } = moved;
    this.count(countTypes(events));
    for (const subscriber of this.#subscribers) subscriber(moved);
    return events.length === BATCH || turns === TENANT_BATCH;
  }

  /** Under load the outbox would grow by hundreds of megabytes before PostgreSQL does so itself. */
  async #vacuumOutbox(): Promise<void> {
    this.#dead = 0;
    try {
      await this.#parts.db.query(sql`VACUUM (SKIP_LOCKED, TRUNCATE false) event_outbox`);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'The outbox was not vacuumed.');
    }
  }

  /** Counts events that were written into the log. */
  count(logged: TypeCount[]): void {
    for (const { type, count } of logged) this.#parts.metrics.events.inc({ type }, count);
    this.#dead += logged.reduce((total, { count }) => total + count, 0);
    if (this.#dead >= VACUUM_EVERY) void this.#vacuumOutbox();
  }
}

/** The position of the last event that waits, up to a position. */
async function newestWaiting(
  db: Queryable,
  tenantId: string | undefined,
  upTo: string | null = null,
): Promise<string | null> {
  const [row] = await db.query<{ newest: string | null }>(
    tenantId === undefined
      ? sql`SELECT max(position)::text AS newest FROM event_outbox /* all tenants, background */
            WHERE ${upTo}::bigint IS NULL OR position <= ${upTo}::bigint`
      : sql`SELECT max(position)::text AS newest FROM event_outbox
            WHERE tenant_id = ${tenantId}
              AND (${upTo}::bigint IS NULL OR position <= ${upTo}::bigint)`,
  );
  return row?.newest ?? null;
}

export interface TypeCount {
  type: string;
  count: number;
}

interface Moved extends Move {
  /** The largest number of events that one tenant has moved. */
  turns: number;
}

const countTypes = (events: FeedEvent[]): TypeCount[] =>
  [...Map.groupBy(events, ({ type }) => type)].map(([type, { length }]) => ({
    type,
    count: length,
  }));

/** The columns that the outbox and the log share. */
export const columns = sql`tenant_id, id, type, organization_id, document_id, channels, data, created_at`;

/**
 * Locks the sequencer until the commit, so that the next mover numbers its events only once ours are
 * visible. If this process is suspended before it sends COMMIT, the server ends the transaction.
 */
export const lockSequencer = sql`
  SELECT set_config('idle_in_transaction_session_timeout', ${String(HOLD_MS)}, true),
         pg_advisory_xact_lock(${SEQUENCER_LOCK})`;

/**
 * Moves the first event of each tenant, then the second of each, and so on. Rows are found by ctid:
 * a search by position would read all dead rows of the table for the few that are alive.
 */
export const moveFromOutbox = (mover: string): Sql => sql`
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
      ORDER BY position LIMIT ${TENANT_BATCH}
    ) AS waiting
    ORDER BY turn, position LIMIT ${BATCH}
  ), moved AS (
    DELETE FROM event_outbox WHERE ctid = ANY(ARRAY(SELECT ctid FROM picked)) RETURNING *
  ), logged AS (
    INSERT INTO events (${columns})
    SELECT ${columns} FROM (SELECT * FROM moved ORDER BY position) AS in_order
    RETURNING sequence, tenant_id, type, organization_id, document_id
  )
  SELECT COALESCE((SELECT max(sequence) FROM events), 0)::text AS previous,
         (SELECT max(turn) FROM picked) AS turns, pg_notify(${LOG_CHANNEL}, ${mover}),
         json_agg(json_build_object(
           'sequence', sequence::text, 'tenantId', tenant_id, 'type', type,
           'organizationId', organization_id, 'documentId', document_id) ORDER BY sequence) AS events
  FROM logged HAVING count(*) > 0`;

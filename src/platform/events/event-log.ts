import type { Clock } from '../clock.ts';
import {
  type Database,
  type Queryable,
  type Sql,
  sql,
  type Transaction,
} from '../database/database.ts';
import { newId } from '../ids.ts';
import { writeJson } from '../json.ts';
import type { Logger } from '../logging.ts';
import { BackgroundLoop } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import type { Metrics } from '../metrics.ts';
import { jsonLists, Pace } from '../turns.ts';
import { assertEvent, type EventTypes } from './event-types.ts';

/** An event that a feature publishes when it changes something. */
export interface NewEvent {
  /** One of decisions' event types, e.g. `document.add`. */
  type: string;
  organizationId?: string;
  documentId?: string;
  /** `organization:<id>`, `folder:<id>`, `document:<id>`, `user:<id>`. */
  channels: string[];
  /** The resource as the read operations present it, so that readers need no model of features. */
  data: unknown;
}

/** An event in its place in the log. `sequence` grows in commit order, over all tenants. */
export interface LoggedEvent {
  tenantId: string;
  sequence: string;
  id: string;
  type: string;
  organizationId: string | null;
  documentId: string | null;
  channels: string[];
  data: unknown;
  createdAt: Date;
}

/** PostgreSQL notifies other processes on this channel that the log has grown. */
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
 * How long events gather after a move before the next one: under load, many changes wake the readers
 * once, while the event of a single change is published at once.
 */
const GATHER_MS = 15;

interface Parts {
  db: Database;
  /**
   * Connections for moves alone, so that moves do not queue behind the changes that make events.
   */
  moves: Pick<Database, 'transaction'>;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** The types that may be published. */
  types: EventTypes;
}

/**
 * The transactional outbox and the event log.
 *
 * A sequence number that a transaction takes cannot be a cursor: the transaction with the lower
 * number may commit after the one with the higher, when a reader has already passed it. So a change
 * inserts its events into the outbox, in its own transaction, and the sequencer moves committed
 * events into the log, one mover at a time. The committed transactions that a statement sees
 * include everything that happened before them, and the positions in the outbox agree with the row
 * locks of the changes. So the order of the log is a commit order without gaps, and its numbers are
 * cursors.
 */
export class EventLog {
  readonly #db: Database;
  readonly #moves: Parts['moves'];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #types: EventTypes;
  #moving: Promise<boolean> = Promise.resolve(false);
  #queued: Promise<boolean> | undefined;
  readonly #loop: BackgroundLoop;
  #leaveDueWork: (() => void) | undefined;
  /** Rows of the outbox that this process has moved since it was vacuumed. */
  #dead = 0;

  constructor(parts: Parts) {
    this.#db = parts.db;
    this.#moves = parts.moves;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#metrics = parts.metrics;
    this.#types = parts.types;
    this.#loop = new BackgroundLoop(parts, {
      name: 'event sequencer',
      pauseMs: GATHER_MS,
      run: () => this.#empty(),
      failure: 'Events wait in the outbox until the database is back.',
    });
    this.#loop.start();
  }

  /** From here on, events of a process that died after its commit are moved into the log too. */
  start(dueWork: Pick<DueWork, 'watch'>): void {
    this.#leaveDueWork = dueWork.watch(
      () => nowIf(sql`EXISTS (SELECT FROM event_outbox)`),
      () => this.#loop.wake(),
    );
  }

  async stop(): Promise<void> {
    this.#leaveDueWork?.();
    await this.#loop.stop();
    await this.sequence().catch(() => undefined);
  }

  /**
   * Writes events at the end of the transaction of their change, with one statement unless they are
   * large. Pass many events as an iterator, which builds them one by one:
   * `rows.values().map(eventOf)`.
   */
  async append(tx: Transaction, tenantId: string, events: Iterable<NewEvent>): Promise<void> {
    const pace = new Pace();
    const rows: string[] = [];
    for (const event of events) {
      await pace.next();
      assertEvent(this.#types, event.type, event.data);
      await pace.next();
      rows.push(textOf(event));
    }
    for (const list of jsonLists(rows)) {
      tx.beforeCommit(sql`INSERT INTO event_outbox (${columns}) ${this.#rowsOf(tenantId, list)}`);
    }
    if (rows.length > 0) tx.afterCommit(() => this.#loop.wake());
  }

  /**
   * Writes events into the log itself, with the commit: large ones are then written once, and not
   * into the outbox first. Where events of the tenant wait in the outbox, they queue behind them.
   */
  appendInPlace(tx: Transaction, tenantId: string, events: NewEvent[]): void {
    for (const { type, data } of events) assertEvent(this.#types, type, data);
    const list = `[${events.map(textOf).join(',')}]`;
    tx.beforeCommit<TypeCount>(
      sql`
      WITH lock AS MATERIALIZED (${lockSequencer}),
      new AS MATERIALIZED (
        SELECT event.*, EXISTS (SELECT FROM event_outbox WHERE tenant_id = ${tenantId}) AS waits
        FROM lock, (${this.#rowsOf(tenantId, list)}) AS event
      ), waiting AS (
        INSERT INTO event_outbox (${columns}) SELECT ${columns} FROM new WHERE waits
      ), logged AS (
        INSERT INTO events (${columns}) SELECT ${columns} FROM new WHERE NOT waits RETURNING type
      )
      SELECT type, count(*)::int AS count, pg_notify(${LOG_CHANNEL}, '')
      FROM logged GROUP BY type`,
      { use: (logged) => this.#count(logged) },
    );
    tx.afterCommit(() => this.#loop.wake());
  }

  #rowsOf(tenantId: string, list: string): Sql {
    return sql`
      SELECT ${tenantId}::text AS tenant_id, id, type, organization_id, document_id, channels, data,
             ${new Date(this.#clock.now())}::timestamptz AS created_at
      FROM json_to_recordset(${list}::json)
        AS event(id text, type text, organization_id text, document_id text, channels text[], data json)`;
  }

  /**
   * Moves all events that were committed before the call into the log: those of one tenant, or all.
   * Events that are committed later are not waited for.
   */
  async sequence(tenantId?: string, db: Queryable = this.#db): Promise<void> {
    let newest = await newestWaiting(db, tenantId);
    while (newest !== null) {
      await this.#nextMove();
      newest = await newestWaiting(db, tenantId, newest);
    }
  }

  /** Returns for how long the oldest event in the outbox has waited; 0 when it is empty. */
  async longestWaitMs(): Promise<number> {
    const [oldest] = await this.#db.query<{ createdAt: Date }>(sql`
      SELECT created_at AS "createdAt" FROM event_outbox /* all tenants, background */
      ORDER BY position LIMIT 1`);
    return oldest ? Math.max(0, this.#clock.now() - oldest.createdAt.getTime()) : 0;
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

  /**
   * Reads a tenant's events after a cursor, oldest first, and returns the cursor to continue from.
   * The cursor also passes events of types that were not asked for, so that each is read once.
   */
  async read(
    query: { tenantId: string; after: string; types: string[] | null; limit: number },
    db: Queryable = this.#db,
  ): Promise<{ events: LoggedEvent[]; cursor: string }> {
    const newest = await newestOf(db, query.tenantId, query.after);
    // ORDER BY names the table's column: the result's column is text, which sorts 10 before 9.
    const events = await db.query<LoggedEvent>(sql`
      SELECT tenant_id AS "tenantId", sequence::text, id, type, organization_id AS "organizationId",
             document_id AS "documentId", channels, data, created_at AS "createdAt"
      FROM events
      WHERE tenant_id = ${query.tenantId} AND sequence > ${query.after}::bigint
        AND sequence <= ${newest}::bigint
        AND (${query.types}::text[] IS NULL OR type = ANY(${query.types}::text[]))
      ORDER BY events.sequence LIMIT ${query.limit}`);
    const last = events.length < query.limit ? undefined : events.at(-1)?.sequence;
    return { events, cursor: last ?? newest };
  }

  async #empty(): Promise<void> {
    while (await this.#nextMove());
  }

  /** @returns whether there may be more */
  async #move(): Promise<boolean> {
    let moved: Moved[] = [];
    await this.#moves.transaction(async (tx) => {
      // The lock is a separate statement, so that the next one sees the previous mover's commit.
      tx.beforeCommit(lockSequencer);
      tx.beforeCommit<Moved>(moveFromOutbox, {
        use: (rows) => {
          moved = rows;
        },
      });
    });
    this.#count(moved);
    if (this.#dead >= VACUUM_EVERY) void this.#vacuumOutbox();
    return totalOf(moved) === BATCH || moved.some(({ turns }) => turns === TENANT_BATCH);
  }

  /** Under load the outbox would grow by hundreds of megabytes before PostgreSQL does so itself. */
  async #vacuumOutbox(): Promise<void> {
    this.#dead = 0;
    try {
      await this.#db.query(sql`VACUUM (SKIP_LOCKED, TRUNCATE false) event_outbox`);
    } catch (error) {
      this.#log.warn({ err: error }, 'The outbox was not vacuumed.');
    }
  }

  #count(logged: TypeCount[]): void {
    for (const { type, count } of logged) this.#metrics.events.inc({ type }, count);
    this.#dead += totalOf(logged);
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

/** A tenant's newest number; the cursor itself, when nothing came after it. */
async function newestOf(db: Queryable, tenantId: string, after: string): Promise<string> {
  const [row] = await db.query<{ newest: string }>(sql`
    SELECT GREATEST(max(sequence), ${after}::bigint)::text AS newest
    FROM events WHERE tenant_id = ${tenantId}`);
  return row?.newest ?? after;
}

interface TypeCount {
  type: string;
  count: number;
}

interface Moved extends TypeCount {
  /** The largest number of events that one tenant has moved. */
  turns: number;
}

const totalOf = (counts: TypeCount[]): number =>
  counts.reduce((total, { count }) => total + count, 0);

const columns = sql`tenant_id, id, type, organization_id, document_id, channels, data, created_at`;

/**
 * Locks the sequencer until the commit, so that the next mover numbers its events only once ours are
 * visible. If this process is suspended before it sends COMMIT, the server ends the transaction.
 */
const lockSequencer = sql`
  SELECT set_config('idle_in_transaction_session_timeout', ${String(HOLD_MS)}, true),
         pg_advisory_xact_lock(${SEQUENCER_LOCK})`;

/**
 * Moves the first event of each tenant, then the second of each, and so on. Rows are found by ctid:
 * a search by position would read all dead rows of the table for the few that are alive.
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
      ORDER BY position LIMIT ${TENANT_BATCH}
    ) AS waiting
    ORDER BY turn, position LIMIT ${BATCH}
  ), moved AS (
    DELETE FROM event_outbox WHERE ctid = ANY(ARRAY(SELECT ctid FROM picked)) RETURNING *
  ), logged AS (
    INSERT INTO events (${columns})
    SELECT ${columns} FROM (SELECT * FROM moved ORDER BY position) AS in_order
    RETURNING type
  )
  SELECT type, count(*)::int AS count, (SELECT max(turn) FROM picked) AS turns,
         pg_notify(${LOG_CHANNEL}, '')
  FROM logged GROUP BY type`;

/** A tenant's events in these places of the log. */
export const eventsAt = (
  db: Queryable,
  tenantId: string,
  sequences: string[],
): Promise<LoggedEvent[]> =>
  db.query<LoggedEvent>(sql`
    SELECT tenant_id AS "tenantId", sequence::text, id, type, organization_id AS "organizationId",
           document_id AS "documentId", channels, data, created_at AS "createdAt"
    FROM events WHERE tenant_id = ${tenantId} AND sequence = ANY(${sequences}::bigint[])
    ORDER BY events.sequence`);

/** The newest position of the log, where a reader starts that needs only new events. */
export async function newestSequence(db: Queryable): Promise<string> {
  const rows = await db.query<{ sequence: string }>(sql`
    SELECT sequence::text FROM events /* all tenants, background */ ORDER BY events.sequence DESC LIMIT 1`);
  return rows[0]?.sequence ?? '0';
}

function textOf({ type, organizationId, documentId, channels, data }: NewEvent): string {
  const place = { organization_id: organizationId, document_id: documentId };
  return writeJson({ id: newId(), type, ...place, channels, data });
}

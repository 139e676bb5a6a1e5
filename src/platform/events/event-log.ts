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
import type { Metrics } from '../metrics.ts';
import { assertEvent, type EventTypes } from './event-types.ts';

/** What a feature tells when it changes something. */
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

/** PostgreSQL tells other processes on this channel that the log has grown. */
export const LOG_CHANNEL = 'event_log';

const SEQUENCER_LOCK = 7_241_994;
const BATCH = 5_000;
const VACUUM_EVERY = 20_000;
/** How soon events of a process that died after its commit are put in their place. */
const SWEEP_INTERVAL_MS = 1_000;
/**
 * How long events gather after a move before the next one: under load, many changes wake the readers
 * once, while a change that comes alone is told at once.
 */
const GATHER_MS = 15;

interface Parts {
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** What may be told. */
  types: EventTypes;
}

/**
 * The transactional outbox and the log behind it.
 *
 * A number taken from a sequence inside a transaction is no cursor: the transaction that took the
 * lower number may commit after the one with the higher, and a reader would have passed it by. So
 * a change writes its events into the outbox, in its own transaction, and the sequencer then moves
 * what is committed into the log, one mover at a time. What a statement sees as committed is closed
 * under "happened before", and within it the outbox's positions agree with the row locks that the
 * changes held; hence the log's order is a commit order, without gaps, and its numbers are cursors.
 */
export class EventLog {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #types: EventTypes;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #movedAt = 0;
  /** Rows of the outbox that this process has moved since it was vacuumed. */
  #dead = 0;

  constructor(parts: Parts) {
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#metrics = parts.metrics;
    this.#types = parts.types;
  }

  start(): void {
    this.#sweep = setInterval(() => this.#wake(), SWEEP_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweep);
    clearTimeout(this.#gathering);
    await this.sequence().catch(() => undefined);
  }

  /** Writes events in the transaction of their change: one statement, however many. */
  async append(tx: Transaction, tenantId: string, events: NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    await tx.query(sql`INSERT INTO event_outbox ${this.#rowsOf(tenantId, events)}`);
    tx.afterCommit(() => this.#wake());
  }

  /**
   * Writes events into the log itself, behind all that is committed: large ones are then written
   * once, and not into the outbox first. Other events get their place only after the transaction,
   * so this is to be the last thing that it does.
   */
  async appendInPlace(tx: Transaction, tenantId: string, events: NewEvent[]): Promise<void> {
    const logged: TypeCount[] = events.map(({ type }) => ({ type, count: 1 }));
    let moved: TypeCount[];
    do {
      moved = await moveBatch(tx);
      logged.push(...moved);
    } while (totalOf(moved) === BATCH);
    await Promise.all([
      tx.query(sql`INSERT INTO events ${this.#rowsOf(tenantId, events)}`),
      tx.query(sql`SELECT pg_notify(${LOG_CHANNEL}, '')`),
    ]);
    tx.afterCommit(() => this.#count(logged));
  }

  #rowsOf(tenantId: string, events: NewEvent[]): Sql {
    for (const { type, data } of events) assertEvent(this.#types, type, data);
    const rows = events.map((event) => ({
      id: newId(),
      type: event.type,
      organization_id: event.organizationId,
      document_id: event.documentId,
      channels: event.channels,
      data: event.data,
    }));
    return sql`
      (tenant_id, id, type, organization_id, document_id, channels, data, created_at)
      SELECT ${tenantId}, id, type, organization_id, document_id, channels, data,
             ${new Date(this.#clock.now())}
      FROM json_to_recordset(${writeJson(rows)}::json)
        AS event(id text, type text, organization_id text, document_id text, channels text[], data json)`;
  }

  /**
   * Puts everything that was committed before the call in its place in the log. A run that is
   * under way may have begun too early to see it, so the call waits for one that begins after.
   */
  sequence(): Promise<void> {
    this.#queued ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#running = this.#moveAll();
        this.#queued = undefined;
        return this.#running;
      });
    return this.#queued;
  }

  /**
   * A tenant's events after a cursor, oldest first, and the cursor to go on from. Where types are
   * asked for, it moves past events of other types as well, so that each is looked at once.
   */
  async read(
    query: { tenantId: string; after: string; types: string[] | null; limit: number },
    db: Queryable = this.#db,
  ): Promise<{ events: LoggedEvent[]; cursor: string }> {
    const newest = await this.#newestOf(query.tenantId, query.after);
    // ORDER BY names the table: the bare word would mean the text in the answer, where 10 is below 9.
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

  /** A tenant's newest number; the cursor itself, when nothing came after it. */
  async #newestOf(tenantId: string, after: string): Promise<string> {
    const [row] = await this.#db.query<{ newest: string }>(sql`
      SELECT GREATEST(max(sequence), ${after}::bigint)::text AS newest
      FROM events WHERE tenant_id = ${tenantId}`);
    return row?.newest ?? after;
  }

  #wake(): void {
    const waitMs = Math.max(0, this.#movedAt + GATHER_MS - performance.now());
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.sequence().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'Events wait in the outbox until the database is back.'),
      );
    }, waitMs);
  }

  async #moveAll(): Promise<void> {
    let moved: number;
    do moved = await this.#moveBatch();
    while (moved === BATCH);
    this.#movedAt = performance.now();
    if (this.#dead >= VACUUM_EVERY) void this.#vacuumOutbox();
  }

  async #moveBatch(): Promise<number> {
    const moved = await this.#db.transaction(moveBatch);
    this.#count(moved);
    return totalOf(moved);
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

interface TypeCount {
  type: string;
  count: number;
}

const totalOf = (counts: TypeCount[]): number =>
  counts.reduce((total, { count }) => total + count, 0);

/** Gives what was moved. */
async function moveBatch(tx: Transaction): Promise<TypeCount[]> {
  const [, moved] = await Promise.all([
    // Held until the commit: the next mover numbers its events only after ours are visible.
    tx.query(sql`SELECT pg_advisory_xact_lock(${SEQUENCER_LOCK})`),
    tx.query<TypeCount>(moveFromOutbox),
  ]);
  return moved;
}

/**
 * Rows are found by where they lie: by their positions, a table of many dead rows would be read as a
 * whole for the few that are alive.
 */
export const moveFromOutbox = sql`
  WITH moved AS (
    DELETE FROM event_outbox /* all tenants */
    WHERE ctid = ANY(ARRAY(SELECT ctid FROM event_outbox ORDER BY position LIMIT ${BATCH}))
    RETURNING *
  ), logged AS (
    INSERT INTO events
      (tenant_id, id, type, organization_id, document_id, channels, data, created_at)
    SELECT tenant_id, id, type, organization_id, document_id, channels, data, created_at
    FROM (SELECT * FROM moved ORDER BY position) AS in_order
    RETURNING type
  )
  SELECT type, count(*)::int AS count, pg_notify(${LOG_CHANNEL}, '') FROM logged GROUP BY type`;

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

/** The newest number of the log: where a reader starts that only cares for what comes next. */
export async function newestSequence(db: Queryable): Promise<string> {
  const rows = await db.query<{ sequence: string }>(sql`
    SELECT sequence::text FROM events /* all tenants */ ORDER BY events.sequence DESC LIMIT 1`);
  return rows[0]?.sequence ?? '0';
}

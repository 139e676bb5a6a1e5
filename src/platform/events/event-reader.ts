import { type Database, empty, type Sql, sql, type Transaction } from '../database/database.ts';
import { BackgroundLoop, type LoopParts } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { EventFeed } from './event-feed.ts';
import type { LoggedEvent } from './logged-events.ts';
import { ReaderInterest } from './reader-interest.ts';
import type { FeedEvent } from './sequencer.ts';

const BATCH = 200;
/** Without their data, events are small. */
const BATCH_WITHOUT_DATA = 500;

/** Reads the log of all tenants, from the moment at which the reader was first deployed. */
export interface EventReader<Context> {
  /** Names its cursor, and so stays as it is. */
  name: string;
  /** The types of events that it handles; others are skipped. Default: all types. */
  types?: readonly string[];
  /**
   * A further SQL condition on `tenant_id` and `type`. Default: none. Its result may change with the
   * settings of the key (`settingsChanged`).
   */
  where?: Sql;
  /** Whether `data` is left out (null), which saves reading the largest part of each event. */
  needsNoData?: boolean;
  /**
   * Handles events in order. The cursor moves in `tx`, so writes in `tx` happen exactly once. Any
   * other effect may be repeated after a crash, and must be idempotent by the event's id.
   */
  handle(context: Context, tx: Transaction, events: LoggedEvent[]): Promise<void>;
}

interface Parts extends LoopParts {
  db: Database;
  feed: EventFeed;
  dueWork: DueWork;
  tracing: Tracing;
}

/** Runs readers: each runs in one process at a time, whatever the number of processes. */
export class EventReaders<Context> {
  readonly #parts: Parts;
  readonly #readers: Array<EventReader<Context>>;
  readonly #interest: ReaderInterest;
  /** By the name of the reader. */
  readonly #loops = new Map<string, BackgroundLoop>();
  #leave: Array<() => unknown> = [];

  constructor(parts: Parts, readers: Array<EventReader<Context>>) {
    this.#parts = parts;
    this.#readers = readers;
    this.#interest = new ReaderInterest(parts.db, readers);
  }

  /** To be called when the settings of a key changed; without a key, when any may have. */
  settingsChanged(tenantId: string | undefined): void {
    this.#interest.forget(tenantId);
  }

  /**
   * Creates the cursors, so that readers miss no event from now on, whichever process runs them.
   */
  async register(): Promise<void> {
    const names = this.#readers.map(({ name }) => name);
    await this.#parts.db.query(sql`
      INSERT INTO event_readers (name, sequence)
      SELECT name, COALESCE((SELECT max(sequence) FROM events /* all tenants, background */), 0)
      FROM unnest(${names}::text[]) AS reader(name) ORDER BY name
      ON CONFLICT DO NOTHING`);
  }

  start(context: Context): void {
    for (const reader of this.#readers) this.#startReader(reader, context);
    this.#leave.push(this.#parts.feed.follow((events) => this.#wakeFor(events)));
  }

  /** Waits for the batches in progress. */
  async stop(): Promise<void> {
    await Promise.all(this.#leave.map((leave) => leave()));
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
  }

  #startReader(reader: EventReader<Context>, context: Context): void {
    const { name } = reader;
    const { dueWork } = this.#parts;
    const loop = new BackgroundLoop(this.#parts, {
      name: `reader: ${name}`,
      run: () => readBatch(this.#parts, reader, context),
      failure: 'A reader of the event log failed and will try again.',
    });
    this.#loops.set(name, loop);
    this.#leave.push(
      dueWork.watch(
        () => isBehind(name),
        () => loop.wake(),
      ),
    );
    loop.start();
    loop.wake();
  }

  /** Wakes the readers of these events. The other cursors advance with the next due-work check. */
  async #wakeFor(events: FeedEvent[]): Promise<void> {
    for (const name of await this.#interest.namesFor(events)) this.#loops.get(name)?.wake();
  }
}

/** Due when the cursor is behind: the process that read may have died, or a wake-up was lost. */
const isBehind = (name: string): Sql =>
  nowIf(sql`(SELECT sequence FROM event_readers WHERE name = ${name})
            < (SELECT max(sequence) FROM events)`);

/** A batch, with the reader's cursor in each row. Without any event there is one row of nulls. */
type Row = (LoggedEvent | Record<keyof LoggedEvent, null>) & { cursor: string; newest: string };

/** @returns whether there may be more events; false while another process reads */
function readBatch<Context>(
  { db, tracing }: Parts,
  reader: EventReader<Context>,
  context: Context,
): Promise<boolean> {
  const limit = reader.needsNoData ? BATCH_WITHOUT_DATA : BATCH;
  return db.transaction(async (tx) => {
    const rows = await lockBatch(tx, reader, limit);
    const [first] = rows;
    // Another process may have read on since this statement began to look.
    if (!first || BigInt(first.newest) <= BigInt(first.cursor)) return false;
    const events = rows.flatMap((row) => (row.sequence === null ? [] : row));
    const isMore = events.length === limit;
    const last = (isMore && events.at(-1)?.sequence) || first.newest;
    if (events.length > 0) {
      const attributes = { events: events.length, first: events[0]?.id ?? '' };
      const span = { name: `reader ${reader.name}`, attributes };
      await tracing.trace(span, () => reader.handle(context, tx, events));
    }
    tx.beforeCommit(sql`
      UPDATE event_readers /* all tenants, background */ SET sequence = ${last}::bigint
      WHERE name = ${reader.name}`);
    return isMore;
  });
}

/** Locks the reader's cursor, unless another process has, and reads what comes after it. */
const lockBatch = (
  tx: Transaction,
  { name, types, where, needsNoData }: Omit<EventReader<never>, 'handle'>,
  limit: number,
): Promise<Row[]> =>
  tx.query<Row>(sql`
    WITH reader AS MATERIALIZED (
      SELECT sequence AS read_through FROM event_readers /* all tenants, background */
      WHERE name = ${name} FOR UPDATE SKIP LOCKED
    ), log AS MATERIALIZED (SELECT COALESCE(max(sequence), 0) AS newest FROM events)
    SELECT read_through::text AS cursor, newest::text, event.*
    FROM reader CROSS JOIN log LEFT JOIN LATERAL (
      SELECT tenant_id AS "tenantId", sequence::text, id, type,
             organization_id AS "organizationId", document_id AS "documentId", channels,
             ${needsNoData ? sql`NULL::jsonb` : sql`data`} AS data, created_at AS "createdAt"
      FROM events
      WHERE sequence > read_through AND sequence <= newest
        ${types ? sql`AND type = ANY(${[...types]})` : empty}
        ${where ? sql`AND ${where}` : empty}
      ORDER BY events.sequence LIMIT ${limit}
    ) AS event ON true
    ORDER BY event.sequence::bigint`);

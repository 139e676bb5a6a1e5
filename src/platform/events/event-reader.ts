import { z } from 'zod';
import { type Database, empty, type Sql, sql, type Transaction } from '../database/database.ts';
import { isOutage } from '../database/database-errors.ts';
import { handleJob, type Job, type JobHandler } from '../jobs/job.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import { BackgroundLoop, type LoopDependencies } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { EventFeed } from './event-feed.ts';
import { eventsAt, type LoggedEvent, loggedColumns } from './logged-events.ts';
import type { FeedEvent } from './read-feed.ts';
import { ReaderInterest } from './reader-interest.ts';
import {
  advance,
  claimPartitions,
  insertReaders,
  lockPartition,
  PARTITIONS,
  partitionOf,
} from './reader-partitions.ts';

const BATCH = 200;
/**
 * How many partitions a process claims at a time while events pile up, so that other processes find
 * some, too. Otherwise a process claims all of them.
 */
const PARTITIONS_WHEN_BUSY = 2;
/** How often an event is tried before the reader goes on without it. */
const MAX_ATTEMPTS = 5;

/** Reads the log of all tenants, from the moment at which the reader was first deployed. */
export interface EventReader<Context> {
  /** Names its cursor, so it must not change. */
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
  /** The most events that it handles at a time. Default: 200. */
  batch?: number;
  /**
   * Returns how many of these events, from the first, it handles at a time, at least one. Default: all.
   * A reader needs this if some events are much more work than others, so that no batch takes long.
   */
  limitBatch?(tx: Transaction, events: LoggedEvent[]): Promise<number>;
  /**
   * Handles events of some tenants, in order. The positions move in `tx`, so writes in `tx` happen
   * exactly once. Any other effect may be repeated after a crash, and must be idempotent by the event's
   * id. An event that fails again and again is handled later and alone, after those that follow it.
   *
   * @param isLate whether later events may have been handled already
   */
  handle(context: Context, tx: Transaction, events: LoggedEvent[], isLate?: boolean): Promise<void>;
}

interface EventReadersDependencies extends LoopDependencies {
  db: Database;
  feed: EventFeed;
  dueWork: DueWork;
  tracing: Tracing;
  jobs: Pick<JobQueue, 'add'>;
}

/** Handles an event that its reader has set aside. */
const handleLater: Job<{ reader: string; tenantId: string; sequence: string }> = {
  name: 'events.handleLater',
  payload: z.object({ reader: z.string(), tenantId: z.string(), sequence: z.string() }),
  keyOf: ({ reader, sequence }) => JSON.stringify([reader, sequence]),
};

/**
 * Runs readers. Each reads a partition of the log in one process at a time, so a tenant's events are
 * handled in their order; while events pile up, processes share the partitions. Row locks decide which
 * process reads, so a process that dies is replaced as soon as its connection ends.
 */
export class EventReaders<Context> {
  readonly #deps: EventReadersDependencies;
  readonly #readers: Array<EventReader<Context>>;
  readonly #interest: ReaderInterest;
  /** The loops by the names of their readers. */
  readonly #loops = new Map<string, BackgroundLoop>();
  /** Functions that end the subscriptions of `start`. */
  #subscriptions: Array<() => unknown> = [];

  constructor(deps: EventReadersDependencies, readers: Array<EventReader<Context>>) {
    this.#deps = deps;
    this.#readers = readers;
    this.#interest = new ReaderInterest(deps.db, readers);
  }

  /** Call this when the settings of a key may have changed. */
  settingsChanged(): void {
    this.#interest.forget();
  }

  /**
   * Creates the positions, so that readers miss no event from now on, whichever process runs them.
   */
  async register(): Promise<void> {
    const names = this.#readers.map(({ name }) => name);
    await this.#deps.db.query(insertReaders(names));
  }

  start(context: Context): void {
    for (const reader of this.#readers) this.#startReader(reader, context);
    const wake = (events: FeedEvent[]) => this.#wakeFor(events);
    this.#subscriptions.push(this.#deps.feed.follow(wake));
  }

  /** The handler of events that readers have set aside. It is tried until it succeeds. */
  get jobHandler(): JobHandler<Context> {
    return handleJob(handleLater, (context: Context, { reader, ...position }) =>
      this.#deps.db.transaction(async (tx) => {
        const found = this.#readers.find(({ name }) => name === reader);
        // A process of another release may have it.
        if (!found) throw new Error(`There is no reader ${reader}.`);
        // Like a reader's own batch, so that an erasure waits for it (`awaitReaders`).
        await tx.query(lockPartition(reader, position.tenantId));
        const events = await eventsAt(tx, [position]);
        if (events.length > 0) await found.handle(context, tx, events, true);
      }),
    );
  }

  /** Waits for the batches in progress. */
  async stop(): Promise<void> {
    await Promise.all(this.#subscriptions.map((end) => end()));
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
  }

  #startReader(reader: EventReader<Context>, context: Context): void {
    const { name } = reader;
    const { dueWork } = this.#deps;
    const progress = {
      claimCount: PARTITIONS,
      served: [],
      oneByOneCount: 0,
      failed: NOTHING_FAILED,
    };
    const loop = new BackgroundLoop(this.#deps, {
      name: `reader-${name}`,
      run: () => readBatch(this.#deps, reader, context, progress),
      failure: 'A reader of the event log failed and will try again.',
    });
    this.#loops.set(name, loop);
    this.#subscriptions.push(
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

/** SQL: due when the cursor is behind, since the reading process died or a wake-up was lost. */
const isBehind = (name: string): Sql =>
  nowIf(sql`(SELECT sequence FROM event_readers WHERE name = ${name})
            < (SELECT max(sequence) FROM events)`);

type EventRow = LoggedEvent & { partition: number };

/** An event of a batch, with the claim that all rows share. A batch without events is one row of nulls. */
type Row = (EventRow | Record<keyof EventRow, null>) & {
  /** The last position of the log. */
  newest: string;
  /** Null when no partition is behind, or other processes read all that are. */
  partitions: string | null;
};

const isEvent = (row: Row): row is Row & EventRow => row.sequence !== null;

/** The state of a reader between two batches. */
interface Progress {
  /** How many partitions it claims next. */
  claimCount: number;
  /**
   * Partitions with more events than one batch, which have had a batch. They are claimed again once the
   * other partitions were read, so that the events of a busy tenant do not delay those of others.
   */
  served: number[];
  /** How many events are handled one by one, after a batch that failed, to find the one that fails. */
  oneByOneCount: number;
  /** The last event that failed when it was handled alone. */
  failed: FailedEvent;
}

interface FailedEvent {
  id: string;
  tenantId: string;
  /** How often events of this tenant have failed, including earlier ones. */
  times: number;
}

const NOTHING_FAILED: FailedEvent = { id: '', tenantId: '', times: 0 };

/** @returns whether there may be more events */
async function readBatch<Context>(
  deps: EventReadersDependencies,
  reader: EventReader<Context>,
  context: Context,
  progress: Progress,
): Promise<boolean> {
  const { batch = BATCH } = reader;
  const limit = progress.oneByOneCount > 0 ? 1 : batch;
  let events: EventRow[] = [];
  try {
    const last = await deps.db.transaction(async (tx) => {
      const rows = await claimBatch(tx, reader, progress, limit);
      const [first] = rows;
      if (!first) return undefined;
      const read = rows.filter(isEvent);
      events = read.slice(0, await reader.limitBatch?.(tx, read));
      const failing = eventToSetAside(progress, events);
      if (failing) {
        await setAside(deps, tx, reader.name, failing);
      } else if (events.length > 0) {
        const attributes = { events: events.length, first: events[0]?.id ?? '' };
        const span = { name: `reader ${reader.name}`, attributes };
        await deps.tracing.trace(span, () => reader.handle(context, tx, events));
      }
      const isFull = read.length === limit || events.length < read.length;
      const last = isFull ? events.at(-1) : undefined;
      advance(tx, reader.name, first.partitions, last?.sequence ?? first.newest);
      return last;
    });
    progress.oneByOneCount = Math.max(0, progress.oneByOneCount - events.length);
    if (progress.oneByOneCount === 0) progress.failed = NOTHING_FAILED;
    return takeTurns(progress, last);
  } catch (error) {
    // Handlers write most rows with the commit, so its failures count, too. An outage of the
    // database says nothing about the events.
    if (events.length > 0 && !isOutage(error)) countFailure(progress, events, batch);
    throw error;
  }
}

/**
 * Decides which partitions are claimed next.
 *
 * @param last the last event of the batch, if there may be more in its partitions
 * @returns whether there may be more events in any partition
 */
function takeTurns(progress: Progress, last: EventRow | undefined): boolean {
  const { claimCount, served } = progress;
  if (last) {
    progress.claimCount = PARTITIONS_WHEN_BUSY;
    // Probably most events of the batch are of this partition. If not, the busiest one has another batch.
    progress.served = [...served, last.partition];
    return true;
  }
  const haveOthersBeenRead = claimCount === PARTITIONS;
  progress.claimCount = PARTITIONS;
  if (haveOthersBeenRead) progress.served = [];
  return !haveOthersBeenRead || served.length > 0;
}

/**
 * Returns the event of a batch that is to be set aside. After the first such event of a tenant, the
 * next ones that fail are tried once only, since the cause is often the tenant's settings.
 */
function eventToSetAside({ failed }: Progress, events: LoggedEvent[]): LoggedEvent | undefined {
  const [first, ...others] = events;
  const failsAgain = first?.id === failed.id && others.length === 0;
  return failsAgain && failed.times >= MAX_ATTEMPTS ? first : undefined;
}

function countFailure(progress: Progress, events: LoggedEvent[], batch: number): void {
  progress.oneByOneCount ||= batch;
  const [first, ...others] = events;
  if (!first || others.length > 0) return;
  const { id, tenantId } = first;
  const before = tenantId === progress.failed.tenantId ? progress.failed.times : 0;
  progress.failed = { id, tenantId, times: before + 1 };
}

/** Leaves an event to a job, so that it does not hold up those of other tenants. */
async function setAside(
  { jobs, log }: EventReadersDependencies,
  tx: Transaction,
  reader: string,
  { id, tenantId, sequence }: LoggedEvent,
): Promise<void> {
  await jobs.add(tx, handleLater, [{ reader, tenantId, sequence }]);
  log.error({ reader, event: id }, 'A reader cannot handle an event. A job goes on trying.');
}

/** Claims partitions of the log, and reads the events after their positions. */
const claimBatch = (
  tx: Transaction,
  { name, types, where, needsNoData }: Omit<EventReader<never>, 'handle'>,
  { claimCount, served }: Progress,
  limit: number,
): Promise<Row[]> =>
  tx.query<Row>(sql`
    WITH ${claimPartitions(name, claimCount, served)}
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

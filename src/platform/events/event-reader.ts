import { z } from 'zod';
import { type Database, type Sql, sql, type Transaction } from '../database/database.ts';
import { isOutage } from '../database/database-errors.ts';
import { pipeline } from '../database/pipeline.ts';
import type { Job } from '../jobs/job.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { Logger } from '../logging.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { LoggedEvent } from './logged-events.ts';
import { advance, type ClaimedEvent, claimBatch, PARTITIONS } from './reader-partitions.ts';

const DEFAULT_BATCH = 200;
/**
 * How many partitions a process claims at a time while events pile up, so that some are left for other
 * processes. At other times, a process claims all partitions.
 */
const PARTITIONS_WHEN_BUSY = 2;
/** How often an event is tried before the reader sets it aside. */
const MAX_ATTEMPTS = 5;

/** Handles events of all tenants from the log, from the moment at which the reader was first deployed. */
export interface EventReader<Context> {
  /** Also names the reader's stored positions, so it must not change. */
  name: string;
  /** The types of events that the reader handles; others are skipped. Default: all types. */
  types?: readonly string[];
  /**
   * A further SQL condition on `tenant_id` and `type`. Default: none. Its result may change with the
   * settings of the key (`settingsChanged`).
   */
  where?: Sql;
  /** Whether `data` is left out (null), which saves reading the largest part of each event. */
  needsNoData?: boolean;
  /** The most events that the reader handles at a time. Default: 200. */
  batch?: number;
  /**
   * Returns how many of these events, counted from the first, are handled at a time: at least one. Default:
   * all. A reader needs this if some events are much more work than others, so that no batch takes long.
   */
  limitBatch?(tx: Transaction, events: LoggedEvent[]): Promise<number>;
  /**
   * Handles events of some tenants, in order. The reader's positions advance in `tx`, so writes in `tx`
   * happen exactly once. Any other effect may be repeated after a crash, and must be idempotent by the
   * event's id. An event that keeps failing is handled alone and later, after the events that follow it.
   *
   * @param isLate whether later events may have been handled already
   */
  handle(context: Context, tx: Transaction, events: LoggedEvent[], isLate?: boolean): Promise<void>;
}

/** Handles an event that its reader has set aside. */
export const handleLater: Job<{ reader: string; tenantId: string; sequence: string }> = {
  name: 'events.handleLater',
  payload: z.object({ reader: z.string(), tenantId: z.string(), sequence: z.string() }),
  keyOf: ({ reader, sequence }) => JSON.stringify([reader, sequence]),
};

interface ReaderDependencies {
  db: Database;
  log: Logger;
  tracing: Tracing;
  jobs: Pick<JobQueue, 'add'>;
}

/**
 * PostgreSQL ends a batch that has sent no statement for this long: its process may be suspended, and
 * other processes must be able to handle the events.
 */
const MAX_PAUSE_MS = 5_000;
const limitPause = sql`
  SELECT set_config('idle_in_transaction_session_timeout', ${String(MAX_PAUSE_MS)}, true)`;

/** The last event that failed when it was handled alone. */
interface FailedEvent {
  id: string;
  tenantId: string;
  /** How often this event has failed, plus how often the tenant's events before it have. */
  times: number;
}

/** A reader in this process, which handles one batch of events after another. */
export class RunningReader<Context> {
  readonly #deps: ReaderDependencies;
  readonly #reader: EventReader<Context>;
  readonly #context: Context;
  /** How many partitions the next batch claims. */
  #claimCount = PARTITIONS;
  /**
   * Busy partitions of which a batch has been handled. They are not claimed again until the other
   * partitions have been read, so that a busy tenant does not delay the others.
   */
  #servedPartitions: number[] = [];
  /** After a batch has failed: how many events are still handled one by one, to find the one that fails. */
  #oneByOneCount = 0;
  #lastFailure: FailedEvent | undefined;

  constructor(deps: ReaderDependencies, reader: EventReader<Context>, context: Context) {
    this.#deps = deps;
    this.#reader = reader;
    this.#context = context;
  }

  /** @returns whether there may be more events */
  async readBatch(): Promise<boolean> {
    const reader = this.#reader;
    const limit = this.#oneByOneCount > 0 ? 1 : (reader.batch ?? DEFAULT_BATCH);
    let events: ClaimedEvent[] = [];
    try {
      const last = await this.#deps.db.transaction(async (tx) => {
        const claim = { count: this.#claimCount, excluded: this.#servedPartitions, limit };
        const [, batch] = await pipeline([tx.query(limitPause), claimBatch(tx, reader, claim)]);
        if (!batch) return undefined;
        events = batch.events.slice(0, await reader.limitBatch?.(tx, batch.events));
        await this.#handle(tx, events);
        const mayHaveMore = batch.events.length === limit || events.length < batch.events.length;
        const lastHandled = mayHaveMore ? events.at(-1) : undefined;
        advance(tx, reader.name, batch.partitions, lastHandled?.sequence ?? batch.newest);
        return lastHandled;
      });
      this.#oneByOneCount = Math.max(0, this.#oneByOneCount - events.length);
      if (this.#oneByOneCount === 0) this.#lastFailure = undefined;
      return this.#planNextClaim(last);
    } catch (error) {
      // A failed commit counts, too, because most rows are written with it. A failure because the
      // database is unreachable is not caused by the events, and does not count.
      if (events.length > 0 && !isOutage(error)) this.#countFailure(events);
      throw error;
    }
  }

  /**
   * Handles a batch, or sets its only event aside if that event has failed too often. After the first
   * such event of a tenant, the tenant's next events that fail are tried only once: the cause is often
   * the tenant's settings.
   */
  async #handle(tx: Transaction, events: LoggedEvent[]): Promise<void> {
    const [first, ...others] = events;
    if (!first) return;
    const failures = first.id === this.#lastFailure?.id ? this.#lastFailure.times : 0;
    if (others.length === 0 && failures >= MAX_ATTEMPTS) return this.#setAside(tx, first);
    const attributes = { events: events.length, first: first.id };
    await this.#deps.tracing.trace({ name: `reader ${this.#reader.name}`, attributes }, () =>
      this.#reader.handle(this.#context, tx, events),
    );
  }

  /** Leaves an event to a job, so that it does not hold up those of other tenants. */
  async #setAside(tx: Transaction, { id, tenantId, sequence }: LoggedEvent): Promise<void> {
    const { jobs, log } = this.#deps;
    const { name: reader } = this.#reader;
    await jobs.add(tx, handleLater, [{ reader, tenantId, sequence }]);
    log.error({ reader, event: id }, 'A reader cannot handle an event. A job keeps trying.');
  }

  #countFailure(events: LoggedEvent[]): void {
    this.#oneByOneCount ||= this.#reader.batch ?? DEFAULT_BATCH;
    const [first, ...others] = events;
    if (!first || others.length > 0) return;
    const { id, tenantId } = first;
    const before = tenantId === this.#lastFailure?.tenantId ? this.#lastFailure.times : 0;
    this.#lastFailure = { id, tenantId, times: before + 1 };
  }

  /**
   * Decides which partitions are claimed next.
   *
   * @param last the last event of the batch, if there may be more in its partitions
   * @returns whether there may be more events in any partition
   */
  #planNextClaim(last: ClaimedEvent | undefined): boolean {
    if (last) {
      this.#claimCount = PARTITIONS_WHEN_BUSY;
      // Most events of the batch are probably from this partition. If not, the busiest one gets another batch.
      this.#servedPartitions = [...this.#servedPartitions, last.partition];
      return true;
    }
    const hadServed = this.#servedPartitions.length > 0;
    // A claim of all partitions leaves out only the served ones.
    const haveOthersBeenRead = this.#claimCount === PARTITIONS;
    this.#claimCount = PARTITIONS;
    if (haveOthersBeenRead) this.#servedPartitions = [];
    return !haveOthersBeenRead || hadServed;
  }
}

import { type Database, type Sql, sql } from '../database/database.ts';
import { handleJob, type JobHandler } from '../jobs/job.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import { BackgroundLoop, type LoopDependencies } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { EventFeed, FeedEvent } from './event-feed.ts';
import { type EventReader, handleLater, RunningReader } from './event-reader.ts';
import { eventsAt } from './logged-events.ts';
import { ReaderInterest } from './reader-interest.ts';
import { insertReaders, lockPartition } from './reader-partitions.ts';

interface EventReadersDependencies extends LoopDependencies {
  db: Database;
  feed: EventFeed;
  dueWork: DueWork;
  tracing: Tracing;
  jobs: Pick<JobQueue, 'add'>;
}

/**
 * Runs readers. For each reader, only one process at a time reads a partition of the log, so a tenant's
 * events are handled in order; while events pile up, processes share the partitions. Row locks decide
 * which process reads, so a process that dies is replaced as soon as its connection ends.
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

  /** Stores where each new reader begins, so that it misses no event from now on, whichever process runs it. */
  async register(): Promise<void> {
    const names = this.#readers.map(({ name }) => name);
    await this.#deps.db.query(insertReaders(names));
  }

  start(context: Context): void {
    for (const reader of this.#readers) this.#startReader(reader, context);
    const wake = (events: FeedEvent[]) => this.#wakeFor(events);
    this.#subscriptions.push(this.#deps.feed.subscribe(wake));
  }

  /** The handler of the jobs for events that readers have set aside. Each job is repeated until it succeeds. */
  get jobHandler(): JobHandler<Context> {
    return handleJob(handleLater, (context: Context, { reader, ...position }) =>
      this.#deps.db.transaction(async (tx) => {
        const found = this.#readers.find(({ name }) => name === reader);
        // The failed job is tried again, perhaps by a process of another release that has this reader.
        if (!found) throw new Error(`There is no reader ${reader}.`);
        // Batches of the reader also take this lock. An erasure waits for it (`awaitReaders`).
        await tx.query(lockPartition(reader, position.tenantId));
        const events = await eventsAt(tx, [position]);
        const isLate = true;
        if (events.length > 0) await found.handle(context, tx, events, isLate);
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
    const running = new RunningReader(this.#deps, reader, context);
    const loop = new BackgroundLoop(this.#deps, {
      name: `reader-${name}`,
      run: () => running.readBatch(),
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

  /** Wakes the readers that handle these events. The others are woken by `dueWork`, to skip the events. */
  async #wakeFor(events: FeedEvent[]): Promise<void> {
    for (const name of await this.#interest.namesFor(events)) this.#loops.get(name)?.wake();
  }
}

/** SQL: due now if the reader is behind, because the reading process died or a wake-up was lost. */
const isBehind = (name: string): Sql =>
  nowIf(sql`(SELECT sequence FROM event_readers WHERE name = ${name})
            < (SELECT max(sequence) FROM events)`);

import { type Database, sql } from '../database/database.ts';
import { BackgroundLoop, type LoopDependencies } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import { DatabaseListener, type Listener } from './database-listener.ts';
import { type LoggedEvent, newestSequence } from './logged-events.ts';
import { LOG_CHANNEL } from './move-events.ts';

/** The most events that one statement reads. */
const MAX_BATCH = 1_000;
/** The largest possible position of the log. */
const END_OF_LOG = 2n ** 63n - 1n;
/**
 * The NOTIFY channel on which processes learn that an erasure has changed events. They then forget their
 * copies of events. The payload is the id of the events' tenant.
 */
export const ERASED_CHANNEL = 'erased_events';
/** How often the log is read while notifications are not received, or after a subscriber failed. */
const POLL_INTERVAL_MS = 500;

/** An event without its data, which is enough for a subscriber to notice what has changed. */
export type FeedEvent = Pick<
  LoggedEvent,
  'sequence' | 'tenantId' | 'type' | 'organizationId' | 'documentId'
>;

interface EventFeedDependencies extends LoopDependencies {
  db: Database;
  databaseUrl: string;
  dueWork: DueWork;
}

interface Subscriber {
  handle: (events: FeedEvent[]) => Promise<void>;
  /** The position up to which the subscriber has handled the events. */
  cursor: bigint;
}

/**
 * Follows the log on behalf of all subscribers in this process, and reads each part of it once. When
 * notifications fail, polling limits the delay.
 */
export class EventFeed {
  readonly #deps: EventFeedDependencies;
  readonly #subscribers = new Set<Subscriber>();
  readonly #listener: DatabaseListener;
  readonly #loop: BackgroundLoop;
  #position = 0n;
  #stopWatching: (() => void) | undefined;

  constructor(deps: EventFeedDependencies) {
    this.#deps = deps;
    this.#listener = new DatabaseListener(deps);
    this.#loop = new BackgroundLoop(deps, {
      name: 'event-feed',
      run: () => this.#deliver(),
      failure: 'The event log cannot be followed at the moment.',
    });
    this.#listener.on(LOG_CHANNEL, () => this.#loop.wake());
  }

  /**
   * The position up to which the log was read. State that is read from now on includes all changes up
   * to this position, and every later event will be passed to the subscribers.
   */
  get position(): bigint {
    return this.#position;
  }

  /** Begins to read at the end of the log. */
  async start(): Promise<void> {
    const { db, dueWork } = this.#deps;
    this.#position = BigInt(await newestSequence(db));
    this.#loop.start();
    this.#listener.start();
    this.#stopWatching = dueWork.watch(
      () =>
        nowIf(
          sql`(SELECT max(sequence) FROM events) > ${String(earliestOf(this.#subscribers))}::bigint`,
        ),
      () => this.#loop.wake(),
    );
  }

  async stop(): Promise<void> {
    this.#stopWatching?.();
    await this.#loop.stop();
    await this.#listener.stop();
  }

  /**
   * Passes all events from now on to a handler, in order. A batch is repeated only if the handler failed,
   * which does not delay other subscribers. Call this after `start`.
   *
   * @returns a function that ends the subscription, and waits for the batch in progress
   */
  subscribe(handle: Subscriber['handle']): () => Promise<void> {
    const subscriber: Subscriber = { handle, cursor: this.#position };
    this.#subscribers.add(subscriber);
    return async () => {
      this.#subscribers.delete(subscriber);
      await this.#loop.idle();
    };
  }

  /** Also listens to another channel on this feed's connection. Call this before `start`. */
  listen(channel: string, listener: Listener): void {
    this.#listener.on(channel, listener);
  }

  async #deliver(): Promise<void> {
    const failed = new Set<Subscriber>();
    let hasMore = true;
    while (hasMore) {
      const active = [...this.#subscribers].filter((subscriber) => !failed.has(subscriber));
      if (active.length === 0) break;
      const events = await readFeed(this.#deps.db, earliestOf(active));
      hasMore = events.length === MAX_BATCH;
      const lastSequence = BigInt(events.at(-1)?.sequence ?? 0);
      if (lastSequence > this.#position) this.#position = lastSequence;
      await Promise.all(
        active.map(async (subscriber) => {
          if (!(await this.#deliverTo(subscriber, events))) failed.add(subscriber);
        }),
      );
    }
    if (failed.size > 0 || !this.#listener.isListening) this.#loop.wake(POLL_INTERVAL_MS);
  }

  /** Passes to a subscriber the events after its cursor. @returns false when the subscriber failed */
  async #deliverTo(subscriber: Subscriber, events: FeedEvent[]): Promise<boolean> {
    const unhandled = events.filter(({ sequence }) => BigInt(sequence) > subscriber.cursor);
    const last = unhandled.at(-1);
    if (!last) return true;
    try {
      await subscriber.handle(unhandled);
      subscriber.cursor = BigInt(last.sequence);
      return true;
    } catch (error) {
      this.#deps.log.warn(
        { err: error },
        'A subscriber to the event log failed and will try again.',
      );
      return false;
    }
  }
}

const readFeed = (db: Database, after: bigint): Promise<FeedEvent[]> =>
  db.query<FeedEvent>(sql`
    SELECT sequence::text, tenant_id AS "tenantId", type, organization_id AS "organizationId",
           document_id AS "documentId"
    FROM events /* all tenants, background */
    WHERE sequence > ${String(after)}::bigint ORDER BY events.sequence LIMIT ${MAX_BATCH}`);

const earliestOf = (subscribers: Iterable<Subscriber>): bigint =>
  [...subscribers].reduce((least, { cursor }) => (cursor < least ? cursor : least), END_OF_LOG);

import { type Database, sql } from '../database/database.ts';
import { BackgroundLoop, type LoopDependencies } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import { DatabaseListener, type Listener } from './database-listener.ts';
import { type LoggedEvent, newestSequence } from './logged-events.ts';
import { LOG_CHANNEL } from './move-events.ts';

/** The most events that one statement reads. */
const BATCH = 1_000;
/** The largest possible position of the log. */
const END_OF_LOG = 2n ** 63n - 1n;
/** The longest delay of an event while notifications are not received, or a follower failed. */
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

interface Follower {
  handle: (events: FeedEvent[]) => Promise<void>;
  /** The follower has handled its events up to here. */
  cursor: bigint;
}

/**
 * Follows the log on behalf of all followers in this process, and reads each part of it once. When
 * notifications fail, polling limits the delay.
 */
export class EventFeed {
  readonly #deps: EventFeedDependencies;
  readonly #followers = new Set<Follower>();
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
   * The log was read up to here. Every event that is committed from now on comes later, so a caller
   * that reads state misses no change that is not passed on.
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
          sql`(SELECT max(sequence) FROM events) > ${String(earliestOf(this.#followers))}::bigint`,
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
   * Passes all events from now on to a handler, in order and once. A batch that failed is repeated,
   * without delaying other followers. Call this after `start`.
   *
   * @returns a function that stops following, and waits for the batch in progress
   */
  follow(handle: Follower['handle']): () => Promise<void> {
    const follower: Follower = { handle, cursor: this.#position };
    this.#followers.add(follower);
    return async () => {
      this.#followers.delete(follower);
      await this.#loop.idle();
    };
  }

  /**
   * Makes the connection of this feed listen to another channel too. Call this before `start`.
   */
  listen(channel: string, listener: Listener): void {
    this.#listener.on(channel, listener);
  }

  async #deliver(): Promise<void> {
    const failed = new Set<Follower>();
    let isMore = true;
    while (isMore) {
      const following = [...this.#followers].filter((follower) => !failed.has(follower));
      if (following.length === 0) break;
      const events = await readFeed(this.#deps.db, earliestOf(following));
      isMore = events.length === BATCH;
      const through = BigInt(events.at(-1)?.sequence ?? 0);
      if (through > this.#position) this.#position = through;
      await Promise.all(
        following.map(async (follower) => {
          if (!(await this.#deliverTo(follower, events))) failed.add(follower);
        }),
      );
    }
    if (failed.size > 0 || !this.#listener.isListening) this.#loop.wake(POLL_INTERVAL_MS);
  }

  /** Passes those events to a follower that come after its cursor. @returns false when it failed */
  async #deliverTo(follower: Follower, events: FeedEvent[]): Promise<boolean> {
    const unhandled = events.filter(({ sequence }) => BigInt(sequence) > follower.cursor);
    const last = unhandled.at(-1);
    if (!last) return true;
    try {
      await follower.handle(unhandled);
      follower.cursor = BigInt(last.sequence);
      return true;
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'A follower of the event log failed and will try again.');
      return false;
    }
  }
}

/** Reads the next events of the log, of all tenants. */
const readFeed = (db: Database, after: bigint): Promise<FeedEvent[]> =>
  db.query<FeedEvent>(sql`
    SELECT sequence::text, tenant_id AS "tenantId", type, organization_id AS "organizationId",
           document_id AS "documentId"
    FROM events /* all tenants, background */
    WHERE sequence > ${String(after)}::bigint ORDER BY events.sequence LIMIT ${BATCH}`);

const earliestOf = (followers: Iterable<Follower>): bigint =>
  [...followers].reduce((least, { cursor }) => (cursor < least ? cursor : least), END_OF_LOG);

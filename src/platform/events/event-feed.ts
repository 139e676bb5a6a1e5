import { type Database, sql } from '../database/database.ts';
import { BackgroundLoop, type LoopDependencies } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import { DatabaseListener, type Listener } from './database-listener.ts';
import { newestSequence } from './logged-events.ts';
import { LOG_CHANNEL } from './move-events.ts';
import { END_OF_LOG, type FeedEvent, type LogSegment, readFeed } from './read-feed.ts';

/** The longest delay of an event while notifications are not received, or a follower failed. */
const POLL_INTERVAL_MS = 500;

export type { FeedEvent };

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
  /** Whether the log may hold events that were not read yet. */
  #isBehind = true;
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
    this.#listener.on(LOG_CHANNEL, () => this.#readSoon());
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
      () => this.#readSoon(),
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

  #readSoon(delayMs = 0): void {
    this.#isBehind = true;
    this.#loop.wake(delayMs);
  }

  async #deliver(): Promise<void> {
    const failed = new Set<Follower>();
    while (this.#isBehind) {
      const following = [...this.#followers].filter((follower) => !failed.has(follower));
      if (following.length === 0) break;
      const segment = await this.#segmentAfter(earliestOf(following));
      await Promise.all(
        following.map(async (follower) => {
          if (!(await this.#deliverTo(follower, segment))) failed.add(follower);
        }),
      );
    }
    if (failed.size > 0 || !this.#listener.isListening) this.#readSoon(POLL_INTERVAL_MS);
  }

  async #segmentAfter(position: bigint): Promise<LogSegment> {
    this.#isBehind = false;
    try {
      const segment = await readFeed(this.#deps.db, position);
      this.#isBehind ||= segment.isMore;
      this.#position = later(segment.through, this.#position);
      return segment;
    } catch (error) {
      this.#isBehind = true;
      throw error;
    }
  }

  /** Passes the events of a segment to a follower. @returns false when it failed */
  async #deliverTo(follower: Follower, { events, through }: LogSegment): Promise<boolean> {
    const { handle, cursor } = follower;
    const unhandled = events.filter(({ sequence }) => BigInt(sequence) > cursor);
    try {
      if (unhandled.length > 0) await handle(unhandled);
      follower.cursor = later(through, follower.cursor);
      return true;
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'A follower of the event log failed and will try again.');
      return false;
    }
  }
}

const later = (position: bigint, other: bigint): bigint => (other > position ? other : position);

const earliestOf = (followers: Iterable<Follower>): bigint =>
  [...followers].reduce((least, { cursor }) => (cursor < least ? cursor : least), END_OF_LOG);

import { type Database, sql } from '../database/database.ts';
import { BackgroundLoop, type LoopParts } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import { DatabaseListener, type Listener } from './database-listener.ts';
import { newestSequence } from './logged-events.ts';
import { LOG_CHANNEL } from './move-events.ts';
import { END_OF_LOG, type FeedEvent, type LogSegment, readFeed } from './read-feed.ts';

/** The longest delay of an event while notifications are not received, or a follower failed. */
const POLL_INTERVAL_MS = 500;

export type { FeedEvent };

interface EventFeedParts extends LoopParts {
  db: Database;
  databaseUrl: string;
  dueWork: DueWork;
}

interface FollowOptions {
  /** Whether it gets the events of all tenants, and not only of those that this process serves. */
  allTenants?: boolean;
}

interface Follower extends FollowOptions {
  handle: (events: FeedEvent[]) => Promise<void>;
  /** The follower has handled its events up to here. Undefined: it begins with the next event. */
  cursor: bigint | undefined;
}

/**
 * Follows the log on behalf of all followers in this process, and reads each part of it once. Followers
 * get the events of the tenants that the process serves at the time, unless they need all. While
 * there are no followers, nothing is read. When notifications fail, polling limits the delay.
 */
export class EventFeed {
  readonly #parts: EventFeedParts;
  readonly #followers = new Set<Follower>();
  /** The tenants that this process serves, each with the number of its `serveTenant` calls. */
  readonly #served = new Map<string, number>();
  readonly #listener: DatabaseListener;
  readonly #loop: BackgroundLoop;
  /** Whether the log may hold events that were not read yet. */
  #isBehind = true;
  /** The log was read up to here. Undefined: reading begins at its end. */
  #position: bigint | undefined;
  #loadingPosition: Promise<string> | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(parts: EventFeedParts) {
    this.#parts = parts;
    this.#listener = new DatabaseListener(parts);
    this.#loop = new BackgroundLoop(parts, {
      name: 'event-feed',
      run: () => this.#deliver(),
      failure: 'The event log cannot be followed at the moment.',
    });
    this.#listener.on(LOG_CHANNEL, () => this.#readSoon());
  }

  start(): void {
    this.#loop.start();
    this.#listener.start();
    this.#stopWatching = this.#parts.dueWork.watch(
      () =>
        this.#isIdle
          ? sql`NULL`
          : nowIf(
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
   * Passes events from now on to a handler, in order and once. A batch that failed is repeated,
   * without delaying other followers.
   *
   * @returns a function that stops following, and waits for the batch in progress
   */
  follow(handle: Follower['handle'], options: FollowOptions = {}): () => Promise<void> {
    if (this.#isIdle) this.#skipToEnd();
    const follower: Follower = { handle, ...options, cursor: undefined };
    this.#followers.add(follower);
    this.#readSoon();
    return async () => {
      this.#followers.delete(follower);
      await this.#loop.idle();
    };
  }

  /**
   * Passes the events of a tenant to the followers until the signal fires. A caller that reads state
   * after this has resolved misses no later change: every event that is committed from then on is
   * passed on.
   *
   * @returns the position in the log after which events are passed on
   */
  async serveTenant(tenantId: string, until: AbortSignal): Promise<bigint> {
    if (until.aborted) return this.#position ?? 0n;
    if (this.#isIdle) this.#skipToEnd();
    this.#countServing(tenantId, 1);
    until.addEventListener('abort', () => this.#countServing(tenantId, -1), { once: true });
    if (this.#position !== undefined) return this.#position;
    this.#readSoon();
    return this.#loadPosition();
  }

  /**
   * Makes the connection of this feed listen to another channel too. Call this before `start`.
   */
  listen(channel: string, listener: Listener): void {
    this.#listener.on(channel, listener);
  }

  get #needsAll(): boolean {
    return [...this.#followers].some(({ allTenants }) => allTenants);
  }

  /** Whether no follower needs any event. */
  get #isIdle(): boolean {
    return this.#served.size === 0 && !this.#needsAll;
  }

  #countServing(tenantId: string, change: 1 | -1): void {
    const count = (this.#served.get(tenantId) ?? 0) + change;
    if (count > 0) this.#served.set(tenantId, count);
    else this.#served.delete(tenantId);
  }

  /** Skips the events that came while there were no followers. */
  #skipToEnd(): void {
    this.#position = undefined;
    for (const follower of this.#followers) follower.cursor = undefined;
  }

  /** Returns the position. After a time without followers, it is the end of the log. */
  async #loadPosition(): Promise<bigint> {
    if (this.#position !== undefined) return this.#position;
    this.#loadingPosition ??= newestSequence(this.#parts.db).finally(() => {
      this.#loadingPosition = undefined;
    });
    return this.#advanceTo(BigInt(await this.#loadingPosition));
  }

  #advanceTo(position: bigint): bigint {
    this.#position = later(position, this.#position);
    return this.#position;
  }

  #readSoon(delayMs = 0): void {
    if (this.#isIdle) return;
    this.#isBehind = true;
    this.#loop.wake(delayMs);
  }

  async #deliver(): Promise<void> {
    const failed = new Set<Follower>();
    while (!this.#isIdle && this.#isBehind) {
      const following = [...this.#followers].filter((follower) => !failed.has(follower));
      if (following.length === 0) break;
      const position = await this.#loadPosition();
      for (const follower of following) follower.cursor ??= position;
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
      const segment = await readFeed(this.#parts.db, position);
      this.#isBehind ||= segment.isMore;
      this.#advanceTo(segment.through);
      return segment;
    } catch (error) {
      this.#isBehind = true;
      throw error;
    }
  }

  /** Passes the events of a segment to a follower. @returns false when it failed */
  async #deliverTo(follower: Follower, { events, through }: LogSegment): Promise<boolean> {
    const { handle, allTenants, cursor = 0n } = follower;
    const unhandled = events.filter(
      ({ sequence, tenantId }) =>
        (allTenants || this.#served.has(tenantId)) && BigInt(sequence) > cursor,
    );
    try {
      if (unhandled.length > 0) await handle(unhandled);
      follower.cursor = later(through, follower.cursor);
      return true;
    } catch (error) {
      this.#parts.log.warn(
        { err: error },
        'A follower of the event log failed and will try again.',
      );
      return false;
    }
  }
}

const later = (position: bigint, other = 0n): bigint => (other > position ? other : position);

const earliestOf = (followers: Iterable<Follower>): bigint =>
  [...followers].reduce((least, { cursor = 0n }) => (cursor < least ? cursor : least), END_OF_LOG);

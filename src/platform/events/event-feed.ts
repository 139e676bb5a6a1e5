import { type Database, sql } from '../database/database.ts';
import { BackgroundLoop, type LoopParts } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import { DatabaseListener, type Listener } from './database-listener.ts';
import type { EventLog } from './event-log.ts';
import { newestSequence } from './logged-events.ts';
import { LOG_CHANNEL } from './move-events.ts';
import type { FeedEvent, Move } from './sequencer.ts';

/** The longest delay of an event while notifications are not received, or a follower failed. */
const POLL_INTERVAL_MS = 500;
const BATCH = 1_000;
const MAX_POSITION = 2n ** 63n - 1n;
/** Moves that wait for a slow subscriber, which then reads the log instead. */
const MAX_MOVES = 10;

export type { FeedEvent };

interface Parts extends LoopParts {
  db: Database;
  databaseUrl: string;
  dueWork: DueWork;
  events: Pick<EventLog, 'onMove'>;
}

interface Follower {
  handle: (events: FeedEvent[]) => Promise<void>;
  /** The last event that it has handled. Undefined: it begins with the next event. */
  cursor: bigint | undefined;
}

/**
 * Follows the log of all tenants on behalf of all followers in this process, and reads each part of
 * it once. What this process moves into the log itself is passed on without reading it again.
 * PostgreSQL's notifications tell of what other processes move; polling bounds the delay when they
 * fail.
 */
export class EventFeed {
  readonly #parts: Parts;
  readonly #followers = new Set<Follower>();
  readonly #listener: DatabaseListener;
  readonly #loop: BackgroundLoop;
  /** What this process has moved into the log, in its order, and no follower has seen. */
  #moves: Move[] = [];
  /** Whether the log may hold events that are not among the moves. */
  #isBehind = true;
  #leave: Array<() => void> = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#listener = new DatabaseListener(parts);
    this.#loop = new BackgroundLoop(parts, {
      name: 'event feed',
      run: () => this.#passOn(),
      failure: 'The event log cannot be followed at the moment.',
    });
    this.#listener.on(LOG_CHANNEL, (mover) => {
      if (mover !== parts.db.id) this.#read();
    });
  }

  start(): void {
    const { dueWork, events } = this.#parts;
    this.#loop.start();
    this.#listener.start();
    this.#leave = [
      events.onMove((move) => this.#take(move)),
      dueWork.watch(
        () => nowIf(sql`(SELECT max(sequence) FROM events) > ${String(this.#position)}::bigint`),
        () => this.#read(),
      ),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#loop.stop();
    await this.#listener.stop();
  }

  /**
   * Passes the events after the cursor to a handler, in order and once; without a cursor, the events
   * from now on. A batch that failed is repeated, without delaying other followers.
   *
   * @returns a function that ends this, and waits for the batch in progress
   */
  follow(handle: Follower['handle'], cursor?: string): () => Promise<void> {
    const follower: Follower = { handle, cursor: cursor === undefined ? cursor : BigInt(cursor) };
    this.#followers.add(follower);
    this.#read();
    return async () => {
      this.#followers.delete(follower);
      await this.#loop.idle();
    };
  }

  /**
   * Has the connection of this feed listen to another channel too. To be called before the start.
   */
  listen(channel: string, listener: Listener): void {
    this.#listener.on(channel, listener);
  }

  /** The position of the follower that is furthest behind; the newest one without followers. */
  get #position(): bigint {
    const cursors = [...this.#followers].map(({ cursor }) => cursor ?? 0n);
    return cursors.reduce((least, cursor) => (cursor < least ? cursor : least), MAX_POSITION);
  }

  #read(delayMs = 0): void {
    this.#isBehind = true;
    this.#loop.wake(delayMs);
  }

  #take(move: Move): void {
    if (this.#moves.push(move) > MAX_MOVES) {
      this.#moves = [];
      this.#isBehind = true;
    }
    this.#loop.wake();
  }

  async #passOn(): Promise<void> {
    const failed = new Set<Follower>();
    while (this.#isBehind || this.#moves.length > 0) {
      const following = [...this.#followers].filter((follower) => !failed.has(follower));
      if (following.length === 0) this.#moves = [];
      if (following.length === 0) break;
      const events = await this.#after(await this.#earliest(following));
      await Promise.all(
        following.map(async (follower) => {
          if (!(await this.#hand(follower, events))) failed.add(follower);
        }),
      );
    }
    if (failed.size > 0 || !this.#listener.isListening) this.#read(POLL_INTERVAL_MS);
  }

  /** The next events after a position: what was moved there, if that is known, or what is read. */
  async #after(position: bigint): Promise<FeedEvent[]> {
    const move = this.#moves.shift();
    if (move && BigInt(move.previous) <= position) return move.events;
    this.#moves = [];
    this.#isBehind = false;
    try {
      const events = await readAfter(this.#parts.db, position);
      this.#isBehind ||= events.length === BATCH;
      return events;
    } catch (error) {
      this.#isBehind = true;
      throw error;
    }
  }

  async #earliest(followers: Follower[]): Promise<bigint> {
    const newcomers = followers.filter(({ cursor }) => cursor === undefined);
    if (newcomers.length > 0) {
      const newest = BigInt(await newestSequence(this.#parts.db));
      for (const follower of newcomers) follower.cursor = newest;
    }
    const cursors = followers.flatMap(({ cursor }) => cursor ?? []);
    return cursors.reduce((least, cursor) => (cursor < least ? cursor : least));
  }

  /** @returns false when it failed */
  async #hand(follower: Follower, events: FeedEvent[]): Promise<boolean> {
    const { cursor = 0n } = follower;
    const fresh = events.filter(({ sequence }) => BigInt(sequence) > cursor);
    const last = fresh.at(-1);
    if (!last) return true;
    try {
      await follower.handle(fresh);
      follower.cursor = BigInt(last.sequence);
      return true;
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'What follows the event log failed and will try again.');
      return false;
    }
  }
}

const readAfter = (db: Database, position: bigint): Promise<FeedEvent[]> =>
  db.query<FeedEvent>(sql`
    SELECT sequence::text, tenant_id AS "tenantId", type,
           organization_id AS "organizationId", document_id AS "documentId"
    FROM events /* all tenants, background */
    WHERE sequence > ${String(position)}::bigint ORDER BY events.sequence LIMIT ${BATCH}`);

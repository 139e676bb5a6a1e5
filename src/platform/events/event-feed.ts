import { type Database, sql } from '../database/database.ts';
import { BackgroundLoop, type LoopParts } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import { DatabaseListener, type Listener } from './database-listener.ts';
import { newestSequence } from './logged-events.ts';
import { LOG_CHANNEL } from './sequencer.ts';

/** The longest delay of an event while notifications are not received, or a follower failed. */
const POLL_INTERVAL_MS = 500;
const BATCH = 1_000;
const MAX_POSITION = 2n ** 63n - 1n;

/** An event without its data, which suffices to notify a follower of a change. */
export interface FeedEvent {
  sequence: string;
  tenantId: string;
  type: string;
  organizationId: string | null;
  documentId: string | null;
}

interface Parts extends LoopParts {
  db: Database;
  databaseUrl: string;
  dueWork: DueWork;
}

interface Follower {
  handle: (events: FeedEvent[]) => Promise<void>;
  /** The last event that it has handled. Undefined: it begins with the next event. */
  cursor: bigint | undefined;
}

/**
 * Follows the log of all tenants on behalf of all followers in this process, and reads each part of
 * it once. PostgreSQL's notifications wake the feed; polling bounds the delay when they fail.
 */
export class EventFeed {
  readonly #parts: Parts;
  readonly #followers = new Set<Follower>();
  readonly #listener: DatabaseListener;
  readonly #loop: BackgroundLoop;
  #leaveDueWork: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#listener = new DatabaseListener(parts);
    this.#loop = new BackgroundLoop(parts, {
      name: 'event feed',
      run: () => this.#readBatches(),
      failure: 'The event log cannot be followed at the moment.',
    });
    this.#listener.on(LOG_CHANNEL, () => this.#loop.wake());
  }

  start(): void {
    this.#loop.start();
    this.#listener.start();
    this.#leaveDueWork = this.#parts.dueWork.watch(
      () => nowIf(sql`(SELECT max(sequence) FROM events) > ${String(this.#position)}::bigint`),
      () => this.#loop.wake(),
    );
  }

  async stop(): Promise<void> {
    this.#leaveDueWork?.();
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
    this.#loop.wake();
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

  async #readBatches(): Promise<void> {
    const failed = new Set<Follower>();
    for (;;) {
      const following = [...this.#followers].filter((follower) => !failed.has(follower));
      if (following.length === 0) break;
      const events = await readAfter(this.#parts.db, await this.#earliest(following));
      await Promise.all(
        following.map(async (follower) => {
          if (!(await this.#hand(follower, events))) failed.add(follower);
        }),
      );
      if (events.length < BATCH) break;
    }
    if (failed.size > 0 || !this.#listener.isListening) this.#loop.wake(POLL_INTERVAL_MS);
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

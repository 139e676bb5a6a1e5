import { readLogTails } from '../../features/crdt/log/log-tail.ts';
import { APPEND_CHANNEL, appendedLogOf } from '../../features/crdt/log/notify-append.ts';
import type { Database } from '../../platform/database/database.ts';
import type { EventFeed } from '../../platform/events/event-feed.ts';
import type { Logger } from '../../platform/logging.ts';
import type { DocumentStore } from './document-store.ts';

/** The longest delay of an edit that Redis did not deliver. */
const FOLLOW_INTERVAL_MS = 5_000;
/** Appends within this time are read together. */
const GATHER_MS = 50;
const RETRY_MS = 1_000;

interface Parts {
  db: Database;
  feed: EventFeed;
  log: Logger;
  store: DocumentStore;
  /** Whether Redis brings edits of other processes. */
  hasPeers: boolean;
}

/**
 * Reads the log for edits that other processes stored in documents that are open here. Redis delivers
 * them sooner, but not from a process that crashed or lost Redis. Without Redis the database notifies.
 */
export class LogFollower {
  readonly #parts: Parts;
  #interval: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  /** Logs that others have appended to, and whether a notification may have been missed. */
  #appended = new Set<string>();
  #mayHaveMissed = false;
  #isWarned = false;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    if (!parts.hasPeers)
      parts.feed.listen(APPEND_CHANNEL, (payload) => this.#onNotification(payload));
  }

  start(): void {
    if (!this.#parts.hasPeers) return;
    this.#interval = setInterval(() => this.pollAll(), FOLLOW_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#interval);
    clearTimeout(this.#soon);
    await this.#polling;
  }

  /** Reads the tails of all open documents, since notifications may have been missed. */
  pollAll(): void {
    this.#mayHaveMissed = true;
    this.#pollAfter(0);
  }

  #onNotification(payload: string | undefined): void {
    const logId = payload ? appendedLogOf(this.#parts.db, payload) : undefined;
    if (payload === undefined) this.pollAll();
    if (logId === undefined) return;
    this.#warn();
    this.#appended.add(logId);
    this.#pollAfter(GATHER_MS);
  }

  #warn(): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    this.#parts.log.warn(
      'Another process writes to the same documents, and REDIS_URL is not set: its edits come ' +
        'through the database, up to a second late, and cursors of its editors not at all.',
    );
  }

  #pollAfter(ms: number): void {
    if (this.#stopped) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      // Appends during a poll are read by the next one.
      this.#polling = (this.#polling ?? Promise.resolve()).then(() => this.#poll());
    }, ms);
  }

  async #poll(): Promise<void> {
    const [appended, isWhole] = [this.#appended, this.#mayHaveMissed];
    this.#appended = new Set();
    this.#mayHaveMissed = false;
    try {
      await this.#catchUp(isWhole ? undefined : appended);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'Logs of updates cannot be followed at the moment.');
      this.#mayHaveMissed = true;
      this.#pollAfter(RETRY_MS);
    }
    // A document that is still loading may have been read before these appends.
    if (!this.#parts.store.isLoading) return;
    for (const logId of appended) this.#appended.add(logId);
    if (this.#appended.size > 0) this.#pollAfter(RETRY_MS / 4);
  }

  /** @param logIds undefined: all */
  async #catchUp(logIds: ReadonlySet<string> | undefined): Promise<void> {
    const { db, store } = this.#parts;
    const opens = [...store.all].filter(
      ({ logId }) => !logIds || logId === undefined || logIds.has(logId),
    );
    if (opens.length === 0) return;
    const all = await readLogTails(db, opens);
    for (const tail of all) {
      const open = opens[tail.position];
      if (open) await store.applyLogTail(open, tail);
    }
  }
}

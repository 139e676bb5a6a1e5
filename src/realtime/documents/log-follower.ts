import { readLogTails } from '../../features/crdt/log/log-tail.ts';
import { APPEND_CHANNEL, appendedLogOf } from '../../features/crdt/log/notify-append.ts';
import type { Database } from '../../platform/database/database.ts';
import type { EventFeed } from '../../platform/events/event-feed.ts';
import type { Logger } from '../../platform/logging.ts';
import type { DocumentStore } from './document-store.ts';

/** How late an edit may come that Redis did not bring. */
const FOLLOW_INTERVAL_MS = 5_000;
/** What is stored within this time is read together. */
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
 * Looks into the log for what other processes have stored in documents that are open here. Redis
 * brings it sooner; but a process that was cut off from Redis, or died, may have told nobody. Where
 * there is no Redis, the database notifies.
 */
export class LogFollower {
  readonly #parts: Parts;
  #interval: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  /** Logs that others have added to, and whether any may have been missed. */
  #heard = new Set<string>();
  #mayHaveMissed = false;
  #isWarned = false;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    if (!parts.hasPeers) parts.feed.listen(APPEND_CHANNEL, (payload) => this.#hear(payload));
  }

  start(): void {
    if (!this.#parts.hasPeers) return;
    this.#interval = setInterval(() => this.look(), FOLLOW_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#interval);
    clearTimeout(this.#soon);
    await this.#looking;
  }

  /** Looks for everything that may have been missed. */
  look(): void {
    this.#mayHaveMissed = true;
    this.#lookAfter(0);
  }

  #hear(payload: string | undefined): void {
    const logId = payload ? appendedLogOf(this.#parts.db, payload) : undefined;
    if (payload === undefined) this.look();
    if (logId === undefined) return;
    this.#warn();
    this.#heard.add(logId);
    this.#lookAfter(GATHER_MS);
  }

  #warn(): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    this.#parts.log.warn(
      'Another process writes to the same documents, and REDIS_URL is not set: its edits come ' +
        'through the database, up to a second late, and cursors of its editors not at all.',
    );
  }

  #lookAfter(ms: number): void {
    if (this.#stopped) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      // What was heard while it looked is looked for afterwards.
      this.#looking = (this.#looking ?? Promise.resolve()).then(() => this.#lookNow());
    }, ms);
  }

  async #lookNow(): Promise<void> {
    const [heard, isWhole] = [this.#heard, this.#mayHaveMissed];
    this.#heard = new Set();
    this.#mayHaveMissed = false;
    try {
      await this.#catchUp(isWhole ? undefined : heard);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'Logs of updates cannot be followed at the moment.');
      this.#mayHaveMissed = true;
      this.#lookAfter(RETRY_MS);
    }
    // A document that is being loaded may have been read before they were written.
    if (!this.#parts.store.isLoading) return;
    for (const logId of heard) this.#heard.add(logId);
    if (this.#heard.size > 0) this.#lookAfter(RETRY_MS / 4);
  }

  /** @param logIds undefined: all */
  async #catchUp(logIds: ReadonlySet<string> | undefined): Promise<void> {
    const { db, store } = this.#parts;
    const opens = [...store.all].filter(
      ({ logId }) => !logIds || logId === undefined || logIds.has(logId),
    );
    if (opens.length === 0) return;
    const all = await readLogTails(db, opens);
    for (const news of all) {
      const open = opens[news.position];
      if (open) await store.applyLogTail(open, news);
    }
  }
}

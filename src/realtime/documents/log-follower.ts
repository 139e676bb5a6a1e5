import { APPEND_CHANNEL, appendedLogOf } from '../../features/crdt/log/notify-append.ts';
import type { Database } from '../../platform/database/database.ts';
import type { EventFeed } from '../../platform/events/event-feed.ts';
import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import type { DocumentStore } from './document-store.ts';
import type { OpenDocument } from './open-document.ts';

/** Appends within this time are read together. */
const GATHER_MS = 50;
/** The same with Redis, which delivers most edits sooner. An edit that Redis loses arrives this much later. */
const GATHER_WITH_REDIS_MS = 5_000;
/** How soon appends are read again for documents that were still loading. */
const REREAD_MS = 250;

interface Dependencies extends LoopDependencies {
  db: Database;
  feed: EventFeed;
  store: DocumentStore;
  /** Whether Redis brings edits of other processes, too. */
  hasRedis: boolean;
}

/**
 * When the database notifies, reads the edits that other processes have stored in documents that are open
 * here. Redis delivers edits sooner, but not those of a process that has crashed or lost Redis.
 */
export class LogFollower {
  readonly #deps: Dependencies;
  readonly #loop: BackgroundLoop;
  /** Logs that other processes have appended to since the last pass. */
  #appended = new Set<string>();
  /** Whether a notification may have been missed, so that every open document is read. */
  #mayHaveMissed = false;
  #hasWarned = false;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#loop = new BackgroundLoop(deps, {
      name: 'log-follower',
      run: () => this.#poll(),
      failure: 'The edits that other processes have stored could not be read.',
    });
    deps.feed.listen(APPEND_CHANNEL, (payload) => this.#onNotification(payload));
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Reads the logs of these documents soon. Call this when edits to them may have been missed. */
  readSoon(documents: readonly OpenDocument[]): void {
    // Documents without a known log are read in every pass anyway.
    for (const { logId } of documents) if (logId !== undefined) this.#appended.add(logId);
    this.#loop.wake(GATHER_MS);
  }

  /** @param payload undefined when notifications may have been missed */
  #onNotification(payload: string | undefined): void {
    if (payload === undefined) {
      this.#mayHaveMissed = true;
      this.#loop.wake();
    }
    const logId = payload && appendedLogOf(this.#deps.db, payload);
    if (!logId) return;
    const { hasRedis } = this.#deps;
    if (!hasRedis) this.#warnOnce();
    this.#appended.add(logId);
    this.#loop.wake(hasRedis ? GATHER_WITH_REDIS_MS : GATHER_MS);
  }

  #warnOnce(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#deps.log.warn(
      'Another process writes to the same documents, and REDIS_URL is not set: its edits arrive ' +
        'through the database, up to a second late, and the cursors of its users do not arrive.',
    );
  }

  async #poll(): Promise<void> {
    const { store } = this.#deps;
    const appended = this.#appended;
    const readsAll = this.#mayHaveMissed;
    const documents = [...store.all].filter(
      ({ logId }) => readsAll || logId === undefined || appended.has(logId),
    );
    this.#appended = new Set();
    this.#mayHaveMissed = false;
    try {
      await store.catchUp(documents);
    } catch (error) {
      this.#mayHaveMissed = true;
      this.#markAppended(appended);
      throw error;
    }
    // A document that is still loading may have read its log before these appends.
    if (!store.isLoading) return;
    this.#markAppended(appended);
    if (this.#appended.size > 0) this.#loop.wake(REREAD_MS);
  }

  #markAppended(logIds: ReadonlySet<string>): void {
    for (const logId of logIds) this.#appended.add(logId);
  }
}

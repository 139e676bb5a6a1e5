import { readNews } from '../features/crdt/log/read-news.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/logging.ts';
import type { DocumentStore } from './document-store.ts';

/** How late an edit may come that Redis did not bring. */
const FOLLOW_INTERVAL_MS = 5_000;

interface Parts {
  db: Database;
  log: Logger;
  store: DocumentStore;
}

/**
 * Looks into the log for what other processes have stored in documents that are open here. Redis
 * brings it sooner; but a process that was cut off from Redis, or died, may have told nobody.
 */
export class LogFollower {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), FOLLOW_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  look(): void {
    this.#looking ??= this.#catchUp()
      .catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, 'Logs of updates cannot be followed at the moment.'),
      )
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #catchUp(): Promise<void> {
    const opens = [...this.#parts.store.all];
    if (opens.length === 0) return;
    const all = await readNews(this.#parts.db, opens);
    for (const news of all) {
      const open = opens[news.position];
      if (open) void this.#parts.store.takeNews(open, news);
    }
  }
}

import type { Health } from './api/operability.ts';
import type { Database } from './platform/database/database.ts';
import { isReady } from './platform/database/server-version.ts';

/** What `/readyz` says. */
export class Lifecycle implements Health {
  readonly #db: Database;
  #phase: 'starting' | 'serving' | 'stopping' = 'starting';

  constructor(db: Database) {
    this.#db = db;
  }

  enter(phase: 'serving' | 'stopping'): void {
    this.#phase = phase;
  }

  async problem(): Promise<string | undefined> {
    return this.#phase === 'serving' ? isReady(this.#db) : `The process is ${this.#phase}.`;
  }
}

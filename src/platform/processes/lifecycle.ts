import type { Database } from '../database/database.ts';
import { findReadinessProblem } from '../database/server-version.ts';

/** The readiness of the process, for `/readyz`. */
export class Lifecycle {
  readonly #db: Database;
  /** Whether Redis is configured and cannot be reached. The process serves without it. */
  isRedisMissing = false;
  #phase: 'starting' | 'serving' | 'stopping' = 'starting';

  constructor(db: Database) {
    this.#db = db;
  }

  enter(phase: 'serving' | 'stopping'): void {
    this.#phase = phase;
  }

  get isServing(): boolean {
    return this.#phase === 'serving';
  }

  /** Whether the process stops soon, and clients should connect to another one. */
  get isStopping(): boolean {
    return this.#phase === 'stopping';
  }

  /** Returns what is wrong with a process that can serve nevertheless. */
  get degraded(): string | undefined {
    return this.isRedisMissing ? 'Redis cannot be reached.' : undefined;
  }

  /** Returns the reason why this process cannot serve; undefined when it is ready. */
  async problem(): Promise<string | undefined> {
    return this.isServing ? findReadinessProblem(this.#db) : `The process is ${this.#phase}.`;
  }
}

import type { Database } from '../database/database.ts';
import { findReadinessProblem } from '../database/server-version.ts';

/** The readiness of the process, for `/readyz`. */
export class Lifecycle {
  readonly #db: Database;
  /** The names of missing dependencies. */
  readonly #missing = new Set<string>();
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

  /** Records whether an optional dependency is missing: the process serves without it. */
  setMissing(name: string, isMissing: boolean): void {
    if (isMissing) this.#missing.add(name);
    else this.#missing.delete(name);
  }

  /** Describes missing dependencies without which the process can still serve, if any are missing. */
  get degraded(): string | undefined {
    const names = [...this.#missing];
    return names.length > 0 ? `${names.join(' and ')} cannot be reached.` : undefined;
  }

  /** Returns the reason why this process cannot serve; undefined when it is ready. */
  async problem(): Promise<string | undefined> {
    return this.isServing ? findReadinessProblem(this.#db) : `The process is ${this.#phase}.`;
  }
}

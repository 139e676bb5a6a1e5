import type { Database } from './platform/database/database.ts';
import { findReadinessProblem } from './platform/database/server-version.ts';
import type { Health } from './server/health.ts';

/** The readiness of the process, for `/readyz`. */
export class Lifecycle implements Health {
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

  get isStopping(): boolean {
    return this.#phase === 'stopping';
  }

  /** Records whether an optional dependency is missing: the process serves without it. */
  setMissing(name: string, isMissing: boolean): void {
    if (isMissing) this.#missing.add(name);
    else this.#missing.delete(name);
  }

  get degraded(): string | undefined {
    const names = [...this.#missing];
    return names.length > 0 ? `${names.join(' and ')} cannot be reached.` : undefined;
  }

  async problem(): Promise<string | undefined> {
    return this.isServing ? findReadinessProblem(this.#db) : `The process is ${this.#phase}.`;
  }
}

import type { Database } from '../database/database.ts';
import {
  compareMigrations,
  type Migration,
  readMigrations,
  tooOld,
  unknownRequirement,
} from '../database/migrate.ts';
import { waitFor } from '../wait-for.ts';

/** How long a readiness probe may take. Orchestrators wait no longer. */
const MAX_PROBE_MS = 2_000;

/** The readiness of the process, for `/readyz`. */
export class Lifecycle {
  readonly #db: Database;
  /** Whether Redis is configured and cannot be reached. The process serves without it. */
  isRedisMissing = false;
  #phase: 'starting' | 'serving' | 'stopping' = 'starting';
  /** The migrations of this release, which the first probe reads. */
  #migrations: Migration[] | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  enter(phase: 'serving' | 'stopping'): void {
    this.#phase = phase;
  }

  get isServing(): boolean {
    return this.#phase === 'serving';
  }

  /** Whether the process is stopping, so that clients should connect to another one. */
  get isStopping(): boolean {
    return this.#phase === 'stopping';
  }

  /** Returns what is wrong with a process that can serve nevertheless. */
  get degraded(): string | undefined {
    return this.isRedisMissing ? 'Redis cannot be reached.' : undefined;
  }

  /** Returns the reason why this process cannot serve; undefined when it is ready. */
  async problem(): Promise<string | undefined> {
    if (!this.isServing) return `The process is ${this.#phase}.`;
    const problem = this.#databaseProblem().catch(() => 'The database cannot be reached.');
    return waitFor(problem, MAX_PROBE_MS, 'The database does not respond.');
  }

  /** Returns why the database cannot be used; undefined when it can. */
  async #databaseProblem(): Promise<string | undefined> {
    const db = this.#db;
    // If this fails, for example because too many files are open, the next probe tries again.
    this.#migrations ??= await readMigrations();
    const { missing } = await compareMigrations(db.pool, this.#migrations);
    if (missing.length > 0) return 'The database is not migrated.';
    const needed = await unknownRequirement(db.pool, this.#migrations);
    if (needed !== undefined) return tooOld(needed);
    const { rows } = await db.pool.query(
      `SELECT current_setting('transaction_read_only') AS "isOn"`,
    );
    if (rows[0]?.isOn === 'on') {
      db.replaceConnections();
      return 'The database is read-only.';
    }
    return (await db.hasRoom()) ? undefined : 'The disk of the database is full.';
  }
}

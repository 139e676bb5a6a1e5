import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { newId } from '../ids.ts';
import { KeyedSemaphore } from '../limits/keyed-semaphore.ts';
import { waitFor } from '../wait-for.ts';
import { DISK_FULL, isDiskFull, isReadOnly, isRetryable } from './database-errors.ts';
import { MAX_WAIT_MS, openPool, type PoolOptions } from './open-pool.ts';
import { sendTogether } from './pipeline.ts';
import { onServerError, reconnectWhenReadOnly } from './read-only-server.ts';
import { Statements } from './statements.ts';
import {
  beginTransaction,
  complete,
  type OpenTransaction,
  type Queryable,
  type Transaction,
} from './transaction.ts';

export { default as sql, empty, join, raw } from 'sql-template-tag';
export type { Queryable, Sql, Transaction };

/** A consumer of connections, on whose behalf statements run and their time is counted. */
export interface ConnectionConsumer {
  /** Consumers of the same name share one queue for connections. */
  name: string;
  /** Called with the time for which a connection was held, once it is released. */
  onTime?: (ms: number) => void;
}

/** Stores the response of an operation in the same transaction as the changes of the operation. */
export interface ResponseWriter {
  /** Locks the reservation of the response. Returns the failure if the reservation was lost. */
  lock(tx: Queryable): Promise<Error | undefined>;
  /** Stores the response at the end of the transaction. */
  store(tx: Transaction): void;
}

/** PostgreSQL, through hand-written SQL. */
export class Database implements Queryable {
  /** Distinguishes the notifications of this process from those of others. */
  readonly id: string;
  readonly pool: Pool;
  /** Whether changes are committed later, together with the response of the operation. */
  readonly commitsLater: boolean = false;
  /** Replaces all connections with new ones. Call this when the server accepts no writes. */
  readonly replaceConnections: () => void;
  /** Whether a statement failed on a full disk, and no later check has found room. */
  #isDiskFull = false;
  readonly #statements: Statements;
  readonly #semaphore: KeyedSemaphore;
  readonly #consumer: ConnectionConsumer | undefined;

  constructor(source: PoolOptions | Database, consumer?: ConnectionConsumer) {
    if (source instanceof Database) {
      this.id = source.id;
      this.pool = source.pool;
      this.replaceConnections = source.replaceConnections;
      this.#statements = source.#statements;
      this.#semaphore = source.#semaphore;
      this.#consumer = consumer ?? source.#consumer;
    } else {
      this.id = newId();
      this.pool = openPool(source);
      this.replaceConnections = reconnectWhenReadOnly(this.pool);
      this.pool.on('connect', (client) => {
        onServerError(client, (code) => {
          this.#isDiskFull ||= code === DISK_FULL;
        });
      });
      this.#statements = new Statements(source.preparesStatements);
      this.#semaphore = createSemaphore(source.poolSize);
      this.#consumer = consumer;
    }
  }

  /**
   * The connections of this process, the most that it opens, and how many callers wait for a
   * connection or for a permit to use one.
   */
  get connections(): { inUse: number; idle: number; waiting: number; most: number } {
    const { totalCount, idleCount, waitingCount, options } = this.pool;
    const waiting = waitingCount + this.#semaphore.waiting;
    return { inUse: totalCount - idleCount, idle: idleCount, waiting, most: options.max };
  }

  /**
   * Returns this database on behalf of one consumer. Consumers take turns for connections, and none
   * holds more than half of them, so that none waits long for the statements of another.
   */
  for(consumer: ConnectionConsumer): Database {
    return new Database(this, consumer);
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    const releasePermit = await this.#acquirePermit();
    try {
      return await withRetries(() => this.#statements.run<Row>(this.pool, statement), isReadOnly);
    } finally {
      releasePermit();
    }
  }

  /**
   * Runs work on one connection outside of a transaction. Statements that the work issues in one turn
   * of the event loop are sent together and run in that order.
   */
  async onOneConnection<Result>(work: (connection: Queryable) => Promise<Result>): Promise<Result> {
    const { client, release } = await this.#connect();
    try {
      sendTogether(client);
      return await work({ query: (statement) => this.#statements.run(client, statement) });
    } finally {
      release();
    }
  }

  /** Runs a change that is a single statement. In an `OperationDatabase`, this begins its transaction. */
  write<Row extends object>(statement: Sql): Promise<Row[]> {
    return this.query<Row>(statement);
  }

  /**
   * Runs `work` in one READ COMMITTED transaction, and repeats the work if it lost a race or met a
   * read-only server.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const isTemporary = (error: unknown) => isRetryable(error) || isReadOnly(error);
    return withRetries(async () => complete(await this.begin(), work), isTemporary);
  }

  /** Begins a transaction, which the caller must commit or roll back. */
  async begin(): Promise<OpenTransaction> {
    const { client, release } = await this.#connect();
    return beginTransaction(client, this.#statements, release);
  }

  /**
   * Whether the server's disk has room, as far as this process knows. After a failure on a full disk,
   * the server is asked to sort more than fits into its memory: it needs a file for that, which it
   * removes afterwards.
   */
  async hasRoom(): Promise<boolean> {
    if (!this.#isDiskFull) return true;
    try {
      await this.transaction(async (tx) => {
        await tx.query(sql`SET LOCAL work_mem = '64kB'`);
        await tx.query(sql`
          SELECT count(*) FROM (
            SELECT repeat(n::text, 200) FROM generate_series(1, 10000) AS n ORDER BY 1) AS sorted`);
      });
      this.#isDiskFull = false;
      return true;
    } catch (error) {
      if (isDiskFull(error)) return false;
      throw error;
    }
  }

  /**
   * Lets another transaction make all changes of an operation and store its response. Returns undefined if
   * the response need not be stored, or if it has an output, or if the operation has already made changes.
   */
  delegateResponse(): ResponseWriter | undefined {
    return undefined;
  }

  /** Runs an action that publishes a change, once that change is committed. */
  async whenCommitted(action: () => Promise<void>): Promise<void> {
    await action();
  }

  async #acquirePermit(): Promise<() => void> {
    const consumer = this.#consumer;
    if (!consumer) return () => undefined;
    const release = await this.#semaphore.acquire(consumer.name);
    const startedAt = performance.now();
    return () => {
      release();
      consumer.onTime?.(performance.now() - startedAt);
    };
  }

  async #connect() {
    const releasePermit = await this.#acquirePermit();
    try {
      const client = await this.pool.connect();
      const release = (error?: Error) => {
        client.release(error);
        releasePermit();
      };
      return { client, release };
    } catch (error) {
      releasePermit();
      throw error;
    }
  }

  async close(): Promise<void> {
    // Closing would wait forever if the network drops packets.
    await waitFor(this.pool.end(), MAX_WAIT_MS);
  }
}

const createSemaphore = (poolSize: number): KeyedSemaphore =>
  new KeyedSemaphore({
    perKey: Math.ceil(poolSize / 2),
    // The rest is left to the process's own work: storing edits and sequencing events.
    total: Math.max(1, Math.floor(poolSize * 0.8)),
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: MAX_WAIT_MS,
  });

/** How often work is attempted that loses a race, or meets a read-only server. */
const MAX_ATTEMPTS = 5;

/** Runs `work`, and repeats it a few times if its failure is temporary. */
export async function withRetries<Result>(
  work: () => Promise<Result>,
  isTemporary: (error: unknown) => boolean = isRetryable,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isTemporary(error)) throw error;
    }
  }
}

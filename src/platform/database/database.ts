import { setTimeout as delay } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolClient } from 'pg';
import type { RawValue, Sql } from 'sql-template-tag';
import { newId } from '../ids.ts';
import { KeyedSemaphore } from '../keyed-semaphore.ts';
import type { Logger } from '../logging.ts';
import { isReadOnly, isRetryable } from './database-errors.ts';
import { breakDeadConnections } from './dead-connections.ts';
import { PrismaClient } from './generated/client.ts';
import { readInTurns } from './read-in-turns.ts';
import { leaveWhenReadOnly } from './read-only-server.ts';

export { default as sql, empty, join, raw } from 'sql-template-tag';
export type { RawValue, Sql };

/** Runs SQL: the database itself, or a transaction on it. */
export interface Queryable {
  /**
   * Runs a statement, which each connection prepares once and then only executes. Statements of a
   * transaction that are asked for in one turn of the event loop are sent together and run in that
   * order, so a statement that needs no earlier result costs no round trip; see `pipeline`.
   */
  query<Row extends object>(statement: Sql): Promise<Row[]>;
}

export interface Transaction extends Queryable {
  /**
   * Runs a statement at the end of the transaction and sends it together with COMMIT, so that its
   * locks are held only briefly, even when this process is suspended.
   *
   * @param use called with the rows once they are committed
   */
  beforeCommit<Row extends object>(statement: Sql, use?: (rows: Row[]) => void): void;
  /** Runs an action once the transaction is committed; not when it is rolled back. */
  afterCommit(action: () => void): void;
}

interface DatabaseOptions {
  url: string;
  poolSize: number;
  log: Logger;
}

/** A user of connections: statements are run, and their time is counted, on its behalf. */
export interface DatabaseUser {
  /** Users of the same name share one queue for connections. */
  name: string;
  /** Called with the time for which a connection was held, once it is released. */
  onTime?: (ms: number) => void;
}

/** The longest wait for a connection, and for the pool to close. */
const MAX_WAIT_MS = 5_000;

/** Attempts for work that lost a race (deadlock, serialization) or met a read-only server. */
const ATTEMPTS = 3;

/**
 * A plan is kept with its connection. Made while a table was small, it would read the table as a
 * whole, also when it has grown a thousandfold a minute later; there is an index for every statement.
 * And compiling a plan takes longer than any of ours runs.
 */
const PLANNING = '-c enable_seqscan=off -c jit=off';

/** The most connections that one user of a pool of this size has at a time. */
const connectionsPerUser = (poolSize: number): number => Math.ceil(poolSize / 2);

/** PostgreSQL, through hand-written SQL where it is hot and through Prisma for the ordinary. */
export class Database implements Queryable {
  /** Distinguishes the notifications of this process from those of others. */
  readonly id: string;
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  /** Whether changes are committed later, together with the response of the operation. */
  readonly commitsLater: boolean = false;
  /** Replaces all connections by new ones, because the server accepts no writes. */
  readonly leaveServer: () => void;
  readonly #connections: KeyedSemaphore;
  readonly #user: DatabaseUser | undefined;

  constructor(source: DatabaseOptions | Database, user?: DatabaseUser) {
    if (source instanceof Database) {
      this.id = source.id;
      this.pool = source.pool;
      this.leaveServer = source.leaveServer;
      this.prisma = source.prisma;
      this.#connections = source.#connections;
      this.#user = user ?? source.#user;
    } else {
      this.id = newId();
      this.pool = openPool(source);
      this.leaveServer = leaveWhenReadOnly(this.pool);
      this.prisma = openPrisma(this.pool);
      this.#connections = shareConnections(source.poolSize);
      this.#user = user;
    }
  }

  /**
   * Returns this database on behalf of one user. Users take turns for connections, and no user holds
   * more than half of them, so that no user waits long for the statements of another.
   */
  for(user: DatabaseUser): Database {
    return new Database(this, user);
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    const endTurn = await this.#acquireTurn();
    try {
      return await attempts(() => run<Row>(this.pool, statement), isReadOnly);
    } finally {
      endTurn();
    }
  }

  /** Runs a change that is a single statement. */
  write<Row extends object>(statement: Sql): Promise<Row[]> {
    return this.query<Row>(statement);
  }

  /** Runs `work` in one READ COMMITTED transaction, and repeats it when it lost a race. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const isWorthAnother = (error: unknown) => isRetryable(error) || isReadOnly(error);
    return attempts(async () => {
      const tx = await this.begin();
      try {
        const result = await work(tx);
        await tx.commit();
        return result;
      } catch (error) {
        await tx.rollBack();
        throw error;
      }
    }, isWorthAnother);
  }

  /** Begins a transaction, which the caller must commit or roll back. */
  async begin(): Promise<OpenTransaction> {
    const endTurn = await this.#acquireTurn();
    try {
      return new OpenTransaction(await this.pool.connect(), endTurn);
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  /** Runs an action that publishes a change, once that change is committed. */
  async whenCommitted(action: () => Promise<void>): Promise<void> {
    await action();
  }

  async #acquireTurn(): Promise<() => void> {
    const user = this.#user;
    if (!user) return () => undefined;
    const release = await this.#connections.acquire(user.name);
    const startedAt = performance.now();
    return () => {
      release();
      user.onTime?.(performance.now() - startedAt);
    };
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect();
    // Closing would wait for ever where a network drops packets.
    await Promise.race([this.pool.end(), delay(MAX_WAIT_MS, undefined, { ref: false })]);
  }
}

/** A transaction on a connection of its own, from BEGIN on. */
export class OpenTransaction implements Transaction {
  readonly #client: PoolClient;
  readonly #endTurn: () => void;
  readonly #begun: Promise<unknown>;
  readonly #last: Array<() => Promise<unknown>> = [];
  readonly #committed: Array<() => void> = [];
  #isOver = false;
  #isGivenBack = false;

  constructor(client: PoolClient, endTurn: () => void) {
    this.#client = client;
    this.#endTurn = endTurn;
    sendTogether(client);
    this.#begun = client.query('BEGIN');
    // When BEGIN fails, the first statement of the work fails too, as both are sent together.
    this.#begun.catch(() => undefined);
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    // Parallel work may continue after a failure, when the connection serves another transaction.
    if (this.#isOver) throw new Error('The transaction is over.');
    sendTogether(this.#client);
    return run<Row>(this.#client, statement);
  }

  beforeCommit<Row extends object>(statement: Sql, use?: (rows: Row[]) => void): void {
    this.#last.push(async () => {
      const rows = await run<Row>(this.#client, statement);
      if (use) this.#committed.unshift(() => use(rows));
    });
  }

  afterCommit(action: () => void): void {
    this.#committed.push(action);
  }

  async commit(): Promise<void> {
    this.#isOver = true;
    sendTogether(this.#client);
    // PostgreSQL answers COMMIT with a rollback when one of these statements failed.
    const last = this.#last.map((statement) => statement());
    await Promise.all([this.#begun, ...last, this.#client.query('COMMIT')]);
    this.#giveBack();
    for (const action of this.#committed) action();
  }

  /** Rolls back. When even ROLLBACK fails, the connection is removed from the pool. */
  async rollBack(): Promise<void> {
    this.#isOver = true;
    if (this.#isGivenBack) return;
    try {
      await this.#client.query('ROLLBACK');
      this.#giveBack();
    } catch (error) {
      this.#giveBack(error as Error);
    }
  }

  #giveBack(error?: Error): void {
    this.#isGivenBack = true;
    this.#client.release(error);
    this.#endTurn();
  }
}

/** Runs `work`, and repeats it a few times when its failure may be temporary. */
export async function attempts<Result>(
  work: () => Promise<Result>,
  isWorthAnother: (error: unknown) => boolean = isRetryable,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isWorthAnother(error)) throw error;
    }
  }
}

function openPool({ url, poolSize, log }: DatabaseOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    pipeline: true,
    connectionTimeoutMillis: MAX_WAIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 30_000,
    // For a network that drops packets, where a dead connection is not noticed otherwise.
    query_timeout: 35_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'collaboration-backend',
    options: PLANNING,
  });
  // Without these listeners, a lost connection would end the process. The pool reports idle
  // connections only; on a connection in use, the running statement fails. While the pool closes,
  // lost connections are expected, as the server may be stopped before it has read the farewell.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'A database connection was lost.');
  });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    readInTurns(client);
  });
  breakDeadConnections({ pool, url, log });
  return pool;
}

const openPrisma = (pool: Pool): PrismaClient =>
  new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: (query) => nameOf(query.sql) }),
  });

const shareConnections = (poolSize: number): KeyedSemaphore =>
  new KeyedSemaphore({
    perKey: connectionsPerUser(poolSize),
    // The rest is left to the process's own work: storing edits and sequencing events.
    total: Math.max(1, Math.floor(poolSize * 0.8)),
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: MAX_WAIT_MS,
  });

/** Buffers writes to the connection until the current turn of the event loop is over. */
function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

async function run<Row extends object>(
  connection: Pool | PoolClient,
  statement: Sql,
): Promise<Row[]> {
  const { text, values } = statement;
  const result = await connection.query<Row>({ name: nameOf(text), text, values });
  return result.rows;
}

/** Names of prepared statements. Their texts stand in the source, so the map stays small. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return name;
}

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
   * Prepared once on each connection, then only executed. In a transaction, statements that are
   * asked for in one turn travel together and run in their order: what does not need the answer of
   * the one before costs no round trip of its own.
   */
  query<Row extends object>(statement: Sql): Promise<Row[]>;
}

export interface Transaction extends Queryable {
  /**
   * Runs as the last of the transaction, in one write with its COMMIT: what it locks stays locked
   * for as long as the server needs, also when this process stands still.
   *
   * @param use gets the rows once they are committed
   */
  beforeCommit<Row extends object>(statement: Sql, use?: (rows: Row[]) => void): void;
  /** Runs once the transaction is committed, not when it fails. */
  afterCommit(action: () => void): void;
}

interface DatabaseOptions {
  url: string;
  poolSize: number;
  log: Logger;
}

/** For whom statements run. */
export interface DatabaseUser {
  /** Users with one name wait in one line for their connections. */
  name: string;
  /** Gets the time for which a connection was theirs, once it is given back. */
  onTime?: (ms: number) => void;
}

/** Longer than anybody should wait for a connection. */
const MAX_WAIT_MS = 5_000;

/** How often is tried what lost a race (deadlock, serialization), or met a server to be left. */
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
  /** Tells notifications of this process from those of others. */
  readonly id: string;
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  /** Whether changes are committed later, with the answer of the operation. */
  readonly commitsLater: boolean = false;
  /** Has new connections made in the place of those there are, as the server takes no writes. */
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
      this.#connections = shareOut(source.poolSize);
      this.#user = user;
    }
  }

  /**
   * The same database for one of its users. Users take turns for connections, and none gets more
   * than half of them, so that nobody waits long for what another has asked.
   */
  for(user: DatabaseUser): Database {
    return new Database(this, user);
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    const endTurn = await this.#takeTurn();
    try {
      return await attempts(() => run<Row>(this.pool, statement), isReadOnly);
    } finally {
      endTurn();
    }
  }

  /** A change that is one statement. */
  write<Row extends object>(statement: Sql): Promise<Row[]> {
    return this.query<Row>(statement);
  }

  /** Runs `work` in one READ COMMITTED transaction, again when it lost a race. */
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

  /** A transaction that the caller must end. */
  async begin(): Promise<OpenTransaction> {
    const endTurn = await this.#takeTurn();
    try {
      return new OpenTransaction(await this.pool.connect(), endTurn);
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  /** For what others may only hear of once it is committed. */
  async whenCommitted(action: () => Promise<void>): Promise<void> {
    await action();
  }

  async #takeTurn(): Promise<() => void> {
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
    // A network that swallows packets would let that take for ever.
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
    // Where that fails, so does the first statement of the work, which travels with it.
    this.#begun.catch(() => undefined);
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    // Work of which one part failed may go on elsewhere; the connection is another's by then.
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
    // After a statement that failed, COMMIT rolls back.
    const last = this.#last.map((statement) => statement());
    await Promise.all([this.#begun, ...last, this.#client.query('COMMIT')]);
    this.#giveBack();
    for (const action of this.#committed) action();
  }

  /** A connection on which even ROLLBACK fails is of no more use and leaves the pool. */
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

/** Does work again that failed for a reason that may be gone by then. */
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
    // For a network that swallows the answer, or the question, where a dead connection stays unseen.
    query_timeout: 35_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'collaboration-backend',
    options: PLANNING,
  });
  // Without a listener, a database that goes away would end the process. The pool's own hears of
  // idle connections only; in use, the statement under way fails by itself. Once the pool ends, the
  // server may be stopped before it has read our farewell.
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

const shareOut = (poolSize: number): KeyedSemaphore =>
  new KeyedSemaphore({
    perKey: connectionsPerUser(poolSize),
    // The rest is for what the process does by itself: storing edits, putting events in order.
    total: Math.max(1, Math.floor(poolSize * 0.8)),
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: MAX_WAIT_MS,
  });

/** Holds back what is written to the connection until the turn is over. */
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

/** Statement texts are written in the source, so their number is small and they may be kept. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return name;
}

import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { Pace } from '../event-loop.ts';
import { type Constraint, retryOnViolation } from './lost-races.ts';
import { pipeline, sendTogether } from './pipeline.ts';
import type { Statements } from './statements.ts';

/** Runs SQL: the database itself, or a transaction on it. */
export interface Queryable {
  /**
   * Runs a statement, which each connection prepares once and then only executes. Statements of a
   * transaction that are issued in one turn of the event loop are sent together and run in that
   * order, so a statement that needs no earlier result costs no round trip; see `pipeline`.
   */
  query<Row extends object>(statement: Sql): Promise<Row[]>;
}

interface DeferredStatement<Row> {
  /** Called with the rows once they are committed. */
  use?: (rows: Row[]) => void;
  /** The transaction is retried when the statement violates one of these: see `retryOnViolation`. */
  retryOn?: readonly Constraint[];
}

export interface Transaction extends Queryable {
  /** Runs a statement. A library may have written it, with numbered placeholders. */
  query<Row extends object>(statement: Pick<Sql, 'text' | 'values'>): Promise<Row[]>;
  /**
   * Runs a statement at the end of the transaction and sends it together with COMMIT. So it costs no
   * round trip of its own, and its locks are held only briefly, even when this process is suspended.
   */
  beforeCommit<Row extends object>(statement: Sql, options?: DeferredStatement<Row>): void;
  /** Runs an action once the transaction is committed; not when it is rolled back. */
  afterCommit(action: () => void): void;
}

/** The commands of a transaction, or of a savepoint of one. */
interface Commands extends Pick<Transaction, 'query'> {
  commit(): Promise<unknown>;
  /**
   * Called after `commit`, with the actions to run once the changes are final. A transaction runs them at
   * once; a savepoint passes them on to its transaction.
   */
  runCommitted(actions: Array<() => void>): void;
  rollBack(): Promise<void>;
}

/** A transaction, or a part of one that can be undone alone. The caller must commit or roll it back. */
export class OpenTransaction implements Transaction {
  readonly #commands: Commands;
  readonly #beforeCommit: Array<() => Promise<void>> = [];
  readonly #afterCommit: Array<() => void> = [];
  #isOver = false;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  async query<Row extends object>(statement: Pick<Sql, 'text' | 'values'>): Promise<Row[]> {
    // Work in parallel with a failed statement may continue, but the connection may serve another transaction.
    if (this.#isOver) throw new Error('The transaction is over.');
    return this.#commands.query<Row>(statement);
  }

  beforeCommit<Row extends object>(
    statement: Sql,
    { use, retryOn = [] }: DeferredStatement<Row> = {},
  ) {
    this.#beforeCommit.push(async () => {
      const rows = await retryOnViolation(this.query<Row>(statement), retryOn);
      if (use) this.afterCommit(() => use(rows));
    });
  }

  afterCommit(action: () => void): void {
    this.#afterCommit.push(action);
  }

  async commit(): Promise<void> {
    const pace = new Pace();
    const sent: Array<Promise<void>> = [];
    for (const send of this.#beforeCommit) {
      // The statements are sent together, unless they are so long that other work must run in between.
      await pace.next();
      const running = send();
      // The caller gets the failure below, after the other statements are sent.
      running.catch(() => undefined);
      sent.push(running);
    }
    this.#isOver = true;
    await pipeline([...sent, this.#commands.commit()]);
    this.#commands.runCommitted(this.#afterCommit);
  }

  async rollBack(): Promise<void> {
    this.#isOver = true;
    await this.#commands.rollBack();
  }
}

/** Begins a transaction on a connection. `release` is called when it is over. */
export function beginTransaction(
  client: PoolClient,
  statements: Statements,
  release: (error?: Error) => void,
): OpenTransaction {
  let isReleased = false;
  const giveBack = (error?: Error) => {
    isReleased = true;
    release(error);
  };
  const send = (text: string) => {
    sendTogether(client);
    return client.query(text);
  };
  const begun = send('BEGIN');
  // If BEGIN fails, the first statement of the work fails, too: both are sent together.
  begun.catch(() => undefined);
  return new OpenTransaction({
    query(statement) {
      sendTogether(client);
      return statements.run(client, statement);
    },
    async commit() {
      const [, { command }] = await pipeline([begun, send('COMMIT')]);
      // PostgreSQL responds to COMMIT with ROLLBACK if an earlier statement failed, even if the work
      // ignored that failure.
      if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back.');
    },
    runCommitted(actions) {
      giveBack();
      for (const action of actions) action();
    },
    // If even ROLLBACK fails, the connection is removed from the pool.
    async rollBack() {
      if (!isReleased) await client.query('ROLLBACK').then(() => giveBack(), giveBack);
    },
  });
}

/** Begins a savepoint. Its deferred statements run at its end, so that they are retried with it. */
export function beginSavepoint(outer: Transaction): OpenTransaction {
  // If SAVEPOINT fails, the first statement of the work fails, too: both are sent together.
  outer.query(sql`SAVEPOINT step`).catch(() => undefined);
  return new OpenTransaction({
    query: (statement) => outer.query(statement),
    commit: () => outer.query(sql`RELEASE SAVEPOINT step`),
    runCommitted(actions) {
      for (const action of actions) outer.afterCommit(action);
    },
    // This fails only on a lost connection, and the server then rolls back the whole transaction.
    rollBack: () => outer.query(sql`ROLLBACK TO SAVEPOINT step`).then(ignore, ignore),
  });
}

const ignore = () => undefined;

/** Runs work in a transaction or savepoint, and commits it. */
export async function complete<Result>(
  tx: OpenTransaction,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work(tx);
    await tx.commit();
    return result;
  } catch (error) {
    await tx.rollBack();
    throw error;
  }
}

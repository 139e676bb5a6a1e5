import type { PoolClient } from 'pg';
import type { Sql } from 'sql-template-tag';
import { type LastStatement, LastStatements } from './last-statements.ts';
import { pipeline } from './pipeline.ts';
import { sendTogether } from './send-together.ts';
import type { Statements } from './statements.ts';

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
   * Runs a statement at the end of the transaction and sends it together with COMMIT. So it costs no
   * round trip of its own, and its locks are held only briefly, even when this process is suspended.
   */
  beforeCommit<Row extends object>(statement: Sql, about?: LastStatement<Row>): void;
  /** Runs an action once the transaction is committed; not when it is rolled back. */
  afterCommit(action: () => void): void;
}

/** A transaction on a connection of its own, from BEGIN on. */
export class OpenTransaction implements Transaction {
  readonly #client: PoolClient;
  readonly #statements: Statements;
  readonly #endTurn: () => void;
  readonly #begun: Promise<unknown>;
  readonly #last = new LastStatements(this);
  readonly #committed: Array<() => void> = [];
  #isOver = false;
  #isGivenBack = false;

  constructor(client: PoolClient, statements: Statements, endTurn: () => void) {
    this.#client = client;
    this.#statements = statements;
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
    return this.#statements.run<Row>(this.#client, statement);
  }

  beforeCommit<Row extends object>(statement: Sql, about: LastStatement<Row> = {}): void {
    this.#last.add(statement, about);
  }

  afterCommit(action: () => void): void {
    this.#committed.push(action);
  }

  async commit(): Promise<void> {
    const last = await this.#last.send();
    this.#isOver = true;
    sendTogether(this.#client);
    // PostgreSQL answers COMMIT with a rollback when one of these statements failed.
    await pipeline([this.#begun, ...last, this.#client.query('COMMIT')]);
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

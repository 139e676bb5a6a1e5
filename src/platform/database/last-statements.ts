import type { Sql } from 'sql-template-tag';
import { Pace } from '../event-loop.ts';
import { type Constraint, retryOnViolation } from './lost-races.ts';

/** Options of a deferred statement. */
export interface LastStatement<Row> {
  /** Called with the rows once they are committed. */
  use?: (rows: Row[]) => void;
  /** The transaction is retried when the statement violates one of these: see `retryOnViolation`. */
  retryOn?: readonly Constraint[];
}

interface Waiting {
  statement: Sql;
  retryOn: readonly Constraint[];
  use: ((rows: never[]) => void) | undefined;
}

interface OpenTransaction {
  query<Row extends object>(statement: Sql): Promise<Row[]>;
  afterCommit(action: () => void): void;
}

/** The statements that run at the end of a transaction. */
export class LastStatements {
  readonly #tx: OpenTransaction;
  readonly #waiting: Waiting[] = [];

  constructor(tx: OpenTransaction) {
    this.#tx = tx;
  }

  add<Row extends object>(statement: Sql, { use, retryOn = [] }: LastStatement<Row>): void {
    this.#waiting.push({ statement, retryOn, use });
  }

  /**
   * Sends the statements, together unless they are so long that other work must run in between.
   *
   * @returns once all are sent, what waits for each of them
   */
  async send(): Promise<Array<Promise<void>>> {
    const pace = new Pace();
    const sent: Array<Promise<void>> = [];
    for (const waiting of this.#waiting) {
      await pace.next();
      const running = this.#run(waiting);
      // The caller gets the failure, after the other statements are sent.
      running.catch(() => undefined);
      sent.push(running);
    }
    return sent;
  }

  async #run({ statement, retryOn, use }: Waiting): Promise<void> {
    const rows = await retryOnViolation(this.#tx.query<never>(statement), retryOn);
    if (use) this.#tx.afterCommit(() => use(rows));
  }
}

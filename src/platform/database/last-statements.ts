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

interface OpenTransaction {
  query<Row extends object>(statement: Sql): Promise<Row[]>;
  afterCommit(action: () => void): void;
}

/** The statements that run at the end of a transaction. */
export class LastStatements {
  readonly #tx: OpenTransaction;
  readonly #waiting: Array<() => Promise<void>> = [];

  constructor(tx: OpenTransaction) {
    this.#tx = tx;
  }

  add<Row extends object>(statement: Sql, { use, retryOn = [] }: LastStatement<Row>): void {
    this.#waiting.push(async () => {
      const rows = await retryOnViolation(this.#tx.query<Row>(statement), retryOn);
      if (use) this.#tx.afterCommit(() => use(rows));
    });
  }

  /**
   * Sends the statements, together unless they are so long that other work must run in between.
   *
   * @returns once all are sent, what waits for each of them
   */
  async send(): Promise<Array<Promise<void>>> {
    const pace = new Pace();
    const sent: Array<Promise<void>> = [];
    for (const send of this.#waiting) {
      await pace.next();
      const running = send();
      // The caller gets the failure, after the other statements are sent.
      running.catch(() => undefined);
      sent.push(running);
    }
    return sent;
  }
}

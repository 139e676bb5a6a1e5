import sql, { join, raw, type Sql } from 'sql-template-tag';
import { Pace } from '../event-loop.ts';
import { type Constraint, retryOnViolation } from './lost-races.ts';

/** Options of a deferred statement. */
export interface LastStatement<Row> {
  /** Called with the rows once they are committed. */
  use?: (rows: Row[]) => void;
  /** The transaction is retried when the statement violates one of these: see `retryOnViolation`. */
  retryOn?: readonly Constraint[];
  /**
   * For an INSERT that neither sees nor changes the rows of the statements before it: it is sent as one
   * statement with its neighbours of the same kind, unless they are long. `last`: PostgreSQL gives no
   * order to the parts of a statement, and what follows must come after this one.
   */
  isJoined?: boolean | 'last';
}

/** The length of all parameters of joined statements, in UTF-16 units. */
const MAX_JOINED_LENGTH = 64 * 1024;

interface Waiting {
  statements: Sql[];
  length: number;
  retryOn: readonly Constraint[];
  /** Whether the next statement may join these. */
  mayFollow: boolean;
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

  add<Row extends object>(statement: Sql, about: LastStatement<Row>): void {
    const { use, retryOn = [], isJoined = false } = about;
    const length = isJoined ? lengthOf(statement) : 0;
    const last = this.#waiting.at(-1);
    const mayFollow = isJoined === true;
    if (isJoined && last?.mayFollow && last.length + length <= MAX_JOINED_LENGTH) {
      last.statements.push(statement);
      last.length += length;
      last.retryOn = [...last.retryOn, ...retryOn];
      last.mayFollow = mayFollow;
    } else {
      this.#waiting.push({ statements: [statement], length, retryOn, mayFollow, use });
    }
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

  async #run({ statements, retryOn, use }: Waiting): Promise<void> {
    const rows = await retryOnViolation(this.#tx.query<never>(joined(statements)), retryOn);
    if (use) this.#tx.afterCommit(() => use(rows));
  }
}

const lengthOf = ({ values }: Sql): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** Statements as one, whose parts PostgreSQL runs completely. Its checks of keys come after all. */
function joined(statements: readonly Sql[]): Sql {
  const last = statements.at(-1) ?? sql`SELECT`;
  if (statements.length <= 1) return last;
  const others = statements.slice(0, -1).map((part, at) => sql`${raw(`part_${at}`)} AS (${part})`);
  return sql`WITH ${join(others)} ${last}`;
}

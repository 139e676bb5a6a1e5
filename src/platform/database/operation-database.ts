import {
  Database,
  type OperationAnswer,
  type Queryable,
  type Sql,
  sql,
  type Transaction,
} from './database.ts';
import { LastStatements } from './last-statements.ts';
import { pipeline } from './pipeline.ts';
import type { OpenTransaction } from './transaction.ts';
import { withRetries } from './with-retries.ts';

/**
 * The database for an operation whose changes are committed together with its response. From its
 * first change on, all its statements run in one transaction, and nested transactions become
 * savepoints. Statements before the first change hold a connection only while they run.
 */
export class OperationDatabase extends Database {
  override readonly commitsLater = true;
  readonly #answer: ((data: unknown) => OperationAnswer) | undefined;
  #isAnswered = false;
  readonly #whenCommitted: Array<() => Promise<void>> = [];
  #opening: Promise<OpenTransaction> | undefined;

  /** @param answer how another transaction may commit the operation's response */
  constructor(source: Database, answer?: (data: unknown) => OperationAnswer) {
    super(source);
    this.#answer = answer;
  }

  override answerElsewhere(data: unknown): OperationAnswer | undefined {
    if (this.#opening || !this.#answer) return undefined;
    const { hold, store } = this.#answer(data);
    return {
      hold,
      store: (tx) => {
        store(tx);
        tx.afterCommit(() => {
          this.#isAnswered = true;
        });
      },
    };
  }

  override async query<Row extends object>(statement: Sql): Promise<Row[]> {
    return this.#opening ? (await this.#opening).query<Row>(statement) : super.query(statement);
  }

  override async write<Row extends object>(statement: Sql): Promise<Row[]> {
    return (await this.#open()).query<Row>(statement);
  }

  override transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return withRetries(async () => attempt(await this.#open(), work));
  }

  override async whenCommitted(action: () => Promise<void>): Promise<void> {
    if (this.#opening) this.#whenCommitted.push(action);
    else await action();
  }

  /**
   * Commits the changes of the operation together with `last`, which runs alone if there are none, and
   * not at all if another transaction has committed them with the response.
   */
  async commitWith(last: (db: Queryable) => Promise<void>): Promise<void> {
    if (this.#isAnswered) return;
    if (!this.#opening) return last(this);
    const tx = await this.#opening;
    try {
      await last(tx);
      await tx.commit();
    } catch (error) {
      await tx.rollBack();
      throw error;
    }
    for (const action of this.#whenCommitted) await action();
  }

  /** Undoes all changes of the operation. */
  async rollBack(): Promise<void> {
    if (this.#opening) await (await this.#opening).rollBack();
  }

  #open(): Promise<OpenTransaction> {
    this.#opening ??= this.begin();
    return this.#opening;
  }
}

/**
 * Runs work within a savepoint of a transaction, so that it can be rolled back alone. Its last
 * statements run at the end of the savepoint, so that they are retried with it.
 */
async function attempt<Result>(
  outer: Transaction,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const committed: Array<() => void> = [];
  let isOver = false;
  const tx: Transaction = {
    query: async (statement) => {
      if (isOver) throw new Error('The transaction is over.');
      return outer.query(statement);
    },
    beforeCommit: (statement, about = {}) => last.add(statement, about),
    afterCommit: (action) => committed.push(action),
  };
  const last = new LastStatements(tx);
  // When SAVEPOINT fails, the first statement of the work fails too, as both are sent together.
  outer.query(sql`SAVEPOINT step`).catch(() => undefined);
  try {
    const result = await work(tx);
    const sent = await last.send();
    isOver = true;
    await pipeline([...sent, outer.query(sql`RELEASE SAVEPOINT step`)]);
    for (const action of committed) outer.afterCommit(action);
    return result;
  } catch (error) {
    isOver = true;
    // On a lost connection, the server rolls back the whole transaction.
    await outer.query(sql`ROLLBACK TO SAVEPOINT step`).catch(() => undefined);
    throw error;
  }
}

/**
 * Runs work whose changes are committed together, those of nested transactions as well; with an
 * operation that commits later, in its transaction.
 */
export async function commitTogether<Result>(
  db: Database,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  if (db.commitsLater) return work(db);
  const own = new OperationDatabase(db);
  try {
    const result = await work(own);
    await own.commitWith(async () => undefined);
    return result;
  } catch (error) {
    await own.rollBack();
    throw error;
  }
}

import {
  Database,
  type Queryable,
  type ResponseWriter,
  type Sql,
  type Transaction,
  withRetries,
} from './database.ts';
import { beginSavepoint, complete, type OpenTransaction } from './transaction.ts';

/**
 * The database for an operation whose changes are committed together with its response. From its
 * first change on, all its statements run in one transaction, and nested transactions become
 * savepoints. Statements before the first change hold a connection only while they run.
 */
export class OperationDatabase extends Database {
  override readonly commitsLater = true;
  readonly #emptyResponse: ResponseWriter | undefined;
  /** Whether another transaction has committed the changes together with the response. */
  #isResponseStored = false;
  readonly #whenCommitted: Array<() => Promise<void>> = [];
  /** The transaction of all changes; undefined before the first change. */
  #opening: Promise<OpenTransaction> | undefined;

  /** @param emptyResponse stores the response; set only if the response has no output */
  constructor(source: Database, emptyResponse?: ResponseWriter) {
    super(source);
    this.#emptyResponse = emptyResponse;
  }

  override delegateResponse(): ResponseWriter | undefined {
    if (this.#opening !== undefined || !this.#emptyResponse) return undefined;
    const { lock, store } = this.#emptyResponse;
    return {
      lock,
      store: (tx) => {
        store(tx);
        tx.afterCommit(() => {
          this.#isResponseStored = true;
        });
      },
    };
  }

  override async query<Row extends object>(statement: Sql): Promise<Row[]> {
    const opening = this.#opening;
    return opening === undefined ? super.query(statement) : (await opening).query<Row>(statement);
  }

  override async write<Row extends object>(statement: Sql): Promise<Row[]> {
    return (await this.#open()).query<Row>(statement);
  }

  override transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return withRetries(async () => complete(beginSavepoint(await this.#open()), work));
  }

  override async whenCommitted(action: () => Promise<void>): Promise<void> {
    if (this.#opening !== undefined) this.#whenCommitted.push(action);
    else await action();
  }

  /**
   * Commits the changes of the operation together with `last`. If there are no changes, runs `last`
   * alone. If another transaction has committed the changes with the response, does nothing.
   */
  async commitWith(last: (db: Queryable) => Promise<void>): Promise<void> {
    if (this.#isResponseStored) return;
    if (this.#opening === undefined) return last(this);
    await complete(await this.#opening, last);
    for (const action of this.#whenCommitted) await action();
  }

  async rollBack(): Promise<void> {
    await (await this.#opening)?.rollBack();
  }

  #open(): Promise<OpenTransaction> {
    this.#opening ??= this.begin();
    return this.#opening;
  }
}

/**
 * Runs work, and commits all its changes together, including those of nested transactions. If `db`
 * belongs to an operation that commits later, the changes are committed with the operation.
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

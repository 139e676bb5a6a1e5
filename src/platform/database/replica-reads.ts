import { type ConnectionConsumer, Database, type Sql } from './database.ts';
import type { Replica, WalPosition } from './replica.ts';
import type { OpenTransaction } from './transaction.ts';

/**
 * Sends statements to the replica if it has replayed every write that was acknowledged before the
 * first statement, and to the primary otherwise. After one statement on the primary, all later ones
 * go there, so that no statement sees less than the one before.
 */
export class ReplicaReads extends Database {
  readonly #replica: Replica;
  readonly #replicaDatabase: Database;
  /**
   * The position in the write-ahead log that the replica must have replayed. Not set before the first
   * statement. Resolves to undefined if the primary serves.
   */
  #needed: Promise<WalPosition | undefined> | undefined;

  constructor(primary: Database, replica: Replica, consumer?: ConnectionConsumer) {
    super(primary, consumer);
    this.#replica = replica;
    this.#replicaDatabase = consumer ? replica.database.for(consumer) : replica.database;
  }

  /** Returns a database for one operation, which sees all writes acknowledged before it began. */
  override for(consumer: ConnectionConsumer): Database {
    return new ReplicaReads(this, this.#replica, consumer);
  }

  override async query<Row extends object>(statement: Sql): Promise<Row[]> {
    this.#needed ??= this.#replica.position();
    const needed = await this.#needed;
    if (!needed) return super.query(statement);
    const result = await this.#replica.read<Row>(this.#replicaDatabase, statement, needed);
    if (!result) {
      this.#stayOnPrimary();
      return super.query(statement);
    }
    const { rows, position } = result;
    // Later statements need at least this position: after a crash, a replica may restart at an earlier one.
    this.#needed = this.#needed.then((now) => now && furthest(now, position));
    return rows;
  }

  override write<Row extends object>(statement: Sql): Promise<Row[]> {
    this.#stayOnPrimary();
    return super.write(statement);
  }

  override begin(): Promise<OpenTransaction> {
    this.#stayOnPrimary();
    return super.begin();
  }

  #stayOnPrimary(): void {
    this.#needed = Promise.resolve(undefined);
  }
}

const furthest = (one: WalPosition, other: WalPosition): WalPosition =>
  one.bytes >= other.bytes ? one : other;

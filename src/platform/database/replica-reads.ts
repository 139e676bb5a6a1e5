import { type ConnectionConsumer, Database, type Sql } from './database.ts';
import type { Replica, WalPosition } from './replica.ts';
import type { OpenTransaction } from './transaction.ts';

/**
 * A database whose statements go to a replica that has replayed everything acknowledged before the
 * first of them, and otherwise to the primary. From its first statement on the primary it stays
 * there, so no statement sees less than the one before.
 */
export class ReplicaReads extends Database {
  readonly #replica: Replica;
  readonly #replicaDatabase: Database;
  /** The position in the write-ahead log that the replica must have replayed; undefined: the primary serves. */
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
    const answer = await this.#replica.read<Row>(this.#replicaDatabase, statement, needed);
    if (!answer) {
      this.#stayOnPrimary();
      return super.query(statement);
    }
    const { rows, position } = answer;
    // A replica that crashes may be back with less than it had replayed.
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

import { type Database, join, type Sql, sql } from '../database/database.ts';

/** Work that waits in the database until some process does it. */
export interface BacklogQueue {
  /** Labels the metrics, e.g. `outbox`. */
  name: string;
  /**
   * A query for one row: `waiting` (int), the number of waiting items, and `since` (timestamptz),
   * since when the oldest item has waited. Every scrape of every process runs the query, so it must
   * always be cheap.
   */
  rows(now: Date): Sql;
}

/** The backlog of one queue. */
export interface QueueState {
  queue: string;
  waiting: number;
  /** How long the oldest item has waited; 0 when none is waiting. */
  oldestSeconds: number;
}

/** Items are counted only up to this number, so that counting a long backlog does not take long. */
export const MAX_COUNTED = 100_000;

/** Reads how much work is waiting in the database, for all processes together. */
export class Backlog {
  readonly #queues: BacklogQueue[];

  constructor(queues: BacklogQueue[]) {
    this.#queues = queues;
  }

  get names(): string[] {
    return this.#queues.map(({ name }) => name);
  }

  /** SQL for a row of `queue` (text), `waiting` (int) and `oldestSeconds` (float8) for each queue. */
  statement(now: Date): Sql {
    const states = this.#queues.map(
      ({ name, rows }) => sql`
        SELECT ${name}::text AS queue, waiting, CASE WHEN waiting = 0 THEN 0 ELSE
          GREATEST(0, COALESCE(extract(epoch FROM ${now}::timestamptz - since), 0)) END::float8
            AS "oldestSeconds"
        FROM (${rows(now)}) AS state`,
    );
    return sql`${join(states, ' UNION ALL ')} /* all tenants, background */`;
  }

  read(db: Database, now: Date): Promise<QueueState[]> {
    return db.query<QueueState>(this.statement(now));
  }
}

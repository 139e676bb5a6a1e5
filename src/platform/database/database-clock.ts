import type { Clock } from '../clock.ts';
import { type Queryable, sql } from './database.ts';

/** SQL: the time of day in epoch milliseconds. */
export const databaseNow = sql`extract(epoch FROM clock_timestamp())::float8 * 1000`;

/**
 * PostgreSQL's time of day. Between two readings, the monotonic clock of this process counts on.
 * Processes compare times with those that other processes have stored, so all of them use one clock,
 * and setting the clock of a machine changes nothing.
 */
export class DatabaseClock implements Clock {
  /** The time of day minus the monotonic clock. */
  #offsetMs = Date.now() - performance.now();

  /** Returns a clock after its first reading. */
  static async of(db: Queryable): Promise<DatabaseClock> {
    const clock = new DatabaseClock();
    const sentAt = performance.now();
    const [row] = await db.query<{ now: number }>(sql`SELECT ${databaseNow} AS now`);
    if (row) clock.adjust(row.now, sentAt);
    return clock;
  }

  now(): number {
    return Math.floor(performance.now() + this.#offsetMs);
  }

  /**
   * Adjusts the clock to a reading of `databaseNow`. PostgreSQL took the reading at some moment after
   * the statement was sent, so the offset lies between two bounds. An offset within them is kept, so
   * that a slow reading does not make the clock worse.
   *
   * @param sentAt when the statement was sent, by `performance.now()`
   */
  adjust(databaseMs: number, sentAt: number): void {
    const minOffsetMs = databaseMs - performance.now();
    const maxOffsetMs = databaseMs - sentAt;
    this.#offsetMs = Math.min(Math.max(this.#offsetMs, minOffsetMs), maxOffsetMs);
  }
}

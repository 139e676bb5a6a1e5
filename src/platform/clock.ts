/** The time of day, passed to all code that needs it, so that tests can set it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Adjusts this clock to a reading of PostgreSQL's clock (database-clock.ts). */
  adjust?(databaseMs: number, sentAt: number): void;
}

/** The current time in Unix seconds, the unit of `expiresAt` (specification 2.10). */
export const unixSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000);

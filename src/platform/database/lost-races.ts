import { DatabaseError } from 'pg';

/** A foreign key or primary key by its name in PostgreSQL. */
export type Constraint = `${string}_fkey` | `${string}_pkey`;

/** The codes of violated foreign keys and unique constraints. */
const VIOLATION_CODES = new Set(['23503', '23505']);

/** Thrown when another transaction came first. `Database.transaction` then repeats the one that lost. */
export class LostRace extends Error {}

/**
 * Awaits a statement that fails if another transaction deletes a row to which the new rows refer, or
 * inserts a row with the same key. The statement then violates one of `constraints`. Its transaction
 * is retried, and sees the other one's changes. Any other violation is a bug in this server.
 *
 * @throws LostRace when the statement violates one of `constraints`
 */
export async function retryOnViolation<Result>(
  statement: Promise<Result>,
  constraints: readonly Constraint[],
): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    throw violates(error, constraints)
      ? new LostRace('Another transaction deleted or inserted a row first.', { cause: error })
      : error;
  }
}

const violates = (error: unknown, constraints: readonly string[]): boolean =>
  error instanceof DatabaseError &&
  VIOLATION_CODES.has(error.code ?? '') &&
  constraints.includes(error.constraint ?? '');

import { DatabaseError } from 'pg';

/** A foreign key or primary key by its name in PostgreSQL. */
export type Constraint = `${string}_fkey` | `${string}_pkey`;

/** The codes of violated foreign keys and unique constraints. */
const VIOLATIONS = new Set(['23503', '23505']);

/** Another transaction came first. `Database.transaction` retries the one that lost. */
export class LostRace extends Error {}

/**
 * Awaits a statement of a transaction that another transaction may make fail, by deleting a row to
 * which the new rows refer, or by inserting a row with the same key. The statement then violates one
 * of these constraints, and the transaction is retried and sees the other one's changes. Any
 * other violation is a defect of this server.
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
  VIOLATIONS.has(error.code ?? '') &&
  constraints.includes(error.constraint ?? '');

import { DatabaseError } from 'pg';

/** A foreign key by its name in PostgreSQL. */
type ForeignKey = `${string}_fkey`;

const FOREIGN_KEY_VIOLATION = '23503';

/** Another transaction deleted a row on which this one relies. `Database.transaction` retries it. */
export class LostRace extends Error {}

/**
 * Awaits a statement of a transaction whose rows refer to rows that are not locked. When another
 * transaction deletes such a row first, the statement violates one of these foreign keys, and the
 * transaction is retried, which then finds the row missing. Any other violation is a defect of ours.
 */
export async function retryWhenDeleted<Result>(
  statement: Promise<Result>,
  foreignKeys: ForeignKey[],
): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    throw violates(error, foreignKeys)
      ? new LostRace('A row was deleted that others were to refer to.', { cause: error })
      : error;
  }
}

const violates = (error: unknown, foreignKeys: string[]): boolean =>
  error instanceof DatabaseError &&
  error.code === FOREIGN_KEY_VIOLATION &&
  foreignKeys.includes(error.constraint ?? '');

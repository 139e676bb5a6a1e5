import { isOutage } from '../database/database-errors.ts';

/**
 * Does work for one item after another, and goes on when it fails for one of them, so that no tenant
 * holds up the others. It stops when the database is unreachable, since each of the other items would
 * then fail after a timeout, too.
 *
 * @throws the first failure
 */
export async function attemptAll<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    await work(item).catch((error: unknown) => {
      if (isOutage(error)) throw error;
      failures.push(error);
    });
  }
  if (failures.length > 0) throw failures[0];
}

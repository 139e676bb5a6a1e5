import { isOutage } from '../database/database-errors.ts';

/**
 * Does work for one item after another, also after it has failed for one of them, so that no tenant
 * holds up the others. A failure because the database is unreachable ends the work, since each of the other
 * items would fail after a timeout.
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

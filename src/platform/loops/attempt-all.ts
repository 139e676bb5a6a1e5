import { isOutage } from '../database/database-errors.ts';

/**
 * Does work for one item after another. If the work fails for an item, goes on with the next, so that
 * no tenant holds up the others. Stops if the database is unreachable, because each of the other
 * items would then fail, too, after a timeout.
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

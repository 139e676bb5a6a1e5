/**
 * Does work for one item after another, also after it has failed for one of them, so that no tenant
 * holds up the others.
 *
 * @throws the first failure, once all items were attempted
 */
export async function attemptAll<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

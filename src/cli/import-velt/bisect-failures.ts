interface Bisection<Item> {
  work: (items: Item[]) => Promise<void>;
  /** Whether the work failed because of an item. */
  isFault: (error: Error) => boolean;
  /** Called with each item that makes the work fail. */
  onFault: (item: Item, error: Error) => void;
}

/** Runs work for all items at once. If an item makes the work fail, it is run for each half, until that item is found. */
export async function bisectFailures<Item>(
  items: Item[],
  bisection: Bisection<Item>,
): Promise<void> {
  try {
    await bisection.work(items);
  } catch (error) {
    if (!(error instanceof Error && bisection.isFault(error))) throw error;
    const [first] = items;
    if (items.length === 1 && first !== undefined) return bisection.onFault(first, error);
    const half = Math.ceil(items.length / 2);
    await bisectFailures(items.slice(0, half), bisection);
    await bisectFailures(items.slice(half), bisection);
  }
}

interface Halving<Item> {
  work: (items: Item[]) => Promise<void>;
  /** Whether an item made the work fail. */
  isFault: (error: Error) => boolean;
  /** Records an item that makes the work fail. */
  refuse: (item: Item, error: Error) => void;
}

/** Runs work for all items at once. If an item makes it fail, splits them in halves to find that item. */
export async function byHalves<Item>(items: Item[], halving: Halving<Item>): Promise<void> {
  try {
    await halving.work(items);
  } catch (error) {
    if (!(error instanceof Error && halving.isFault(error))) throw error;
    const [first] = items;
    if (items.length === 1 && first !== undefined) return halving.refuse(first, error);
    const half = Math.ceil(items.length / 2);
    await byHalves(items.slice(0, half), halving);
    await byHalves(items.slice(half), halving);
  }
}

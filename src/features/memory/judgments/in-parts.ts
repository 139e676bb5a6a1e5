/** The most words that one statement writes: more would block the process for too long. */
export const MAX_WORDS = 5_000;

/** Splits items, in their order, into parts that weigh at most `most` or consist of one item. */
export function* inParts<Item>(
  items: readonly Item[],
  weightOf: (item: Item) => number,
  most: number,
): Generator<Item[]> {
  let part: Item[] = [];
  let weight = 0;
  for (const item of items) {
    const added = weightOf(item);
    if (part.length > 0 && weight + added > most) {
      yield part;
      part = [];
      weight = 0;
    }
    part.push(item);
    weight += added;
  }
  if (part.length > 0) yield part;
}

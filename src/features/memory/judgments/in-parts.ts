/** Words that one statement writes: more would keep the process from others. */
export const MOST_WORDS = 5_000;

/** The items in their order, in parts that weigh no more than `most`, or are of one item. */
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

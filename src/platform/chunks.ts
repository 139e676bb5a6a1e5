import { Pace } from './event-loop.ts';

/**
 * Like `map` of a list, but yields to other work if it takes long. Use it for stored rows, which
 * may have 16 MB together. The items of one request body are too few to need it.
 */
export async function mapInChunks<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const pace = new Pace();
  const results: Result[] = [];
  for (const item of items) {
    const pause = pace.next();
    // Awaiting undefined would still cost a turn of the microtask queue for each item.
    if (pause !== undefined) await pause;
    results.push(map(item, results.length));
  }
  return results;
}

/** Like `JSON.stringify` of a list, but yields to other work where the list is long. */
export const listToJson = async (items: Iterable<unknown>): Promise<string> =>
  `[${(await mapInChunks(items, (item) => JSON.stringify(item))).join(',')}]`;

/** A list ends at about this length in UTF-16 units: as a parameter it is sent in a millisecond or two. */
const PARAMETER_LENGTH = 512 * 1024;

/** Joins serialized items to JSON lists of a length that suits one statement. */
export function* jsonLists(items: string[]): Generator<string> {
  let list: string[] = [];
  let length = 0;
  for (const item of items) {
    if (length > PARAMETER_LENGTH) {
      yield `[${list.join(',')}]`;
      list = [];
      length = 0;
    }
    list.push(item);
    length += item.length;
  }
  if (list.length > 0) yield `[${list.join(',')}]`;
}

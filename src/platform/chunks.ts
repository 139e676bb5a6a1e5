import { Pace } from './event-loop.ts';

/**
 * Like `Array.map`, but yields to other work if it takes long. Use it for stored rows, which may
 * add up to 16 MB. The items of one request body are too few to need it.
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

/** Like `JSON.stringify` for a list, but yields to other work if the list is long. */
export const listToJson = async (items: Iterable<unknown>): Promise<string> =>
  `[${(await mapInChunks(items, (item) => JSON.stringify(item))).join(',')}]`;

/** A list of about this many UTF-16 code units is sent as a parameter in a millisecond or two. */
const PARAMETER_LENGTH = 512 * 1024;

/**
 * Joins serialized items into JSON lists, each short enough to be a parameter of one statement.
 * Yields to other work if that takes long.
 */
export async function* jsonLists(items: string[]): AsyncGenerator<string> {
  const pace = new Pace();
  let list: string[] = [];
  let length = 0;
  for (const item of items) {
    if (length > PARAMETER_LENGTH) {
      yield `[${list.join(',')}]`;
      await pace.next();
      list = [];
      length = 0;
    }
    list.push(item);
    length += item.length;
  }
  if (list.length > 0) yield `[${list.join(',')}]`;
}

import { Pace } from './event-loop.ts';

/**
 * Like `map` of a list, but yields to other work where that takes long: for stored rows, which may hold 16 MB
 * together. What a body holds needs no such care.
 */
export async function mapInChunks<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item, index: number) => Made,
): Promise<Made[]> {
  const pace = new Pace();
  const made: Made[] = [];
  for (const item of items) {
    const pause = pace.next();
    // Awaiting nothing would still cost a turn of the microtask queue for each item.
    if (pause !== undefined) await pause;
    made.push(make(item, made.length));
  }
  return made;
}

/** Like `JSON.stringify` of a list, but yields to other work where the list is long. */
export const listToJson = async (items: Iterable<unknown>): Promise<string> =>
  `[${(await mapInChunks(items, (item) => JSON.stringify(item))).join(',')}]`;

/** The length of a statement's parameter, in UTF-16 units, that is sent in a millisecond or two. */
const PARAMETER_LENGTH = 512 * 1024;

/** Joins serialized items to JSON lists, none of them too long for one statement. */
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

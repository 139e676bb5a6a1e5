/** What work of one kind may take of one turn of the event loop. */
const SHORT_SHARE_MS = 8;
/** A call waits for some turns before it is answered, each of which it may have to share. */
const LONG_SHARE_MS = 2;

/**
 * Shares each turn of the event loop among many callers, of whom each would be short and all together
 * would be long: what does not fit into a turn waits for the next, first come, first served.
 */
class Turns {
  readonly #waiting: Array<() => void> = [];
  readonly #shareMs: number;
  #startedAt: number | undefined;

  constructor(shareMs: number) {
    this.#shareMs = shareMs;
  }

  /** Resolves once there is time for a piece of work of some milliseconds; undefined: now. */
  next(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && !this.#isUsedUp()) return undefined;
    return new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #isUsedUp(): boolean {
    const now = performance.now();
    if (this.#startedAt === undefined) this.#start(now);
    return now - (this.#startedAt ?? now) >= this.#shareMs;
  }

  #start(now: number): void {
    this.#startedAt = now;
    setImmediate(() => this.#end());
  }

  #end(): void {
    this.#startedAt = undefined;
    if (this.#waiting.length > 0) this.#release();
  }

  /**
   * One at a time, as long as there is time: how long each takes is known only when it is done. A
   * tick that a microtask asks for comes when no microtask is left, so when the one before has ended.
   */
  #release(): void {
    if (this.#isUsedUp()) return;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) queueMicrotask(() => process.nextTick(() => this.#release()));
  }
}

/** There is one event loop, whatever the number of servers in a process. */
const short = new Turns(SHORT_SHARE_MS);
const long = new Turns(LONG_SHARE_MS);

/** Before each of many small things that anybody may ask for at any rate. */
export const nextTurn = (): Promise<void> | undefined => short.next();

/** Between the pieces of work that is long, which must not keep small things waiting. */
export const nextPiece = (): Promise<void> | undefined => long.next();

/** What is done in one go, however many others wait. */
const STEP_MS = 1;

/** Long work that makes room for other work: `await pace.next()` between steps of a millisecond. */
export class Pace {
  #since = performance.now();

  /** What has been short so far goes on at once. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#since < STEP_MS ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await nextPiece();
    this.#since = performance.now();
  }
}

/** As `map` of a list, with other work in between where that takes long. */
export async function mapInPieces<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item, index: number) => Made,
  pace = new Pace(),
): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    await pace.next();
    made.push(make(item, made.length));
  }
  return made;
}

/** As `JSON.stringify` of a list, with other work in between where it is long. */
export const listToJson = async (items: Iterable<unknown>): Promise<string> =>
  `[${(await mapInPieces(items, (item) => JSON.stringify(item))).join(',')}]`;

/** Of a parameter of a statement, in UTF-16 units: as much is sent in a millisecond or two. */
const LIST_LENGTH = 512 * 1024;

/** Lists of what is JSON already, each as long as a statement should be. */
export function* jsonLists(items: string[]): Generator<string> {
  let list: string[] = [];
  let length = 0;
  for (const item of items) {
    if (length > LIST_LENGTH) {
      yield `[${list.join(',')}]`;
      list = [];
      length = 0;
    }
    list.push(item);
    length += item.length;
  }
  if (list.length > 0) yield `[${list.join(',')}]`;
}

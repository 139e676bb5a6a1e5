/** What work of one kind may take of one turn of the event loop. */
const SHARE_MS = 8;

/**
 * Shares each turn of the event loop among many callers, of whom each would be short and all together
 * would be long: what does not fit into a turn waits for the next, first come, first served.
 */
class Turns {
  readonly #waiting: Array<() => void> = [];
  #startedAt: number | undefined;

  /** Resolves once there is time for a piece of work of some milliseconds; undefined: now. */
  next(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && !this.#isUsedUp()) return undefined;
    return new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #isUsedUp(): boolean {
    const now = performance.now();
    if (this.#startedAt === undefined) this.#start(now);
    return now - (this.#startedAt ?? now) >= SHARE_MS;
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
const short = new Turns();
const long = new Turns();

/** Before each of many small things that anybody may ask for at any rate. */
export const nextTurn = (): Promise<void> | undefined => short.next();

/** Between the pieces of work that is long, which must not keep small things waiting. */
export const nextPiece = (): Promise<void> | undefined => long.next();

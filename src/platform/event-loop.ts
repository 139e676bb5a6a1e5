/** How long all short work together may take in one turn of the event loop. */
const SHORT_SHARE_MS = 8;
/**
 * How long all long work together may take in one turn. The share is small because a short request needs
 * several turns until it is answered, and each of these turns may contain long work.
 */
const LONG_SHARE_MS = 2;

/**
 * Shares the turns of the event loop among many callers whose work is short for each and long
 * together. Work that does not fit into a turn waits for the next one, first come, first served.
 */
class TurnShare {
  readonly #waiting: Array<() => void> = [];
  readonly #shareMs: number;
  #startedAt: number | undefined;

  constructor(shareMs: number) {
    this.#shareMs = shareMs;
  }

  /** Returns undefined if there is time for some milliseconds of work now; else resolves once there is. */
  next(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && !this.#isUsedUp()) return undefined;
    return new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #isUsedUp(): boolean {
    const now = performance.now();
    if (this.#startedAt === undefined) this.#startTurn(now);
    return now - (this.#startedAt ?? now) >= this.#shareMs;
  }

  #startTurn(now: number): void {
    this.#startedAt = now;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#startedAt = undefined;
    if (this.#waiting.length > 0) this.#release();
  }

  /**
   * Releases one caller at a time, since the duration of its work is known only afterwards. A tick
   * that is requested in a microtask runs once all microtasks are done, and so after that work.
   */
  #release(): void {
    if (this.#isUsedUp()) return;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) queueMicrotask(() => process.nextTick(() => this.#release()));
  }
}

// These are global since all servers of a process share its one event loop.
const shortWork = new TurnShare(SHORT_SHARE_MS);
const longWork = new TurnShare(LONG_SHARE_MS);

/** Await this before short work that anybody may request at any rate. */
export const nextTurn = (): Promise<void> | undefined => shortWork.next();

/** Await this between the chunks of long work, so that short work does not have to wait. */
export const nextChunk = (): Promise<void> | undefined => longWork.next();

/** How long work may run before it yields, however much other work waits. */
const CHUNK_MS = 1;

/** Lets long work yield to other work: `await pace.next()` between short steps. */
export class Pace {
  #since = performance.now();

  /** Returns undefined while the work has been running only briefly. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#since < CHUNK_MS ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await nextChunk();
    this.#since = performance.now();
  }
}

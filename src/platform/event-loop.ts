/** How long all short work together may take in one turn of the event loop. */
const SHORT_SHARE_MS = 8;
/**
 * How long all long work together may take in one turn. The share is small because even a short
 * request needs several turns, and each of these turns may contain long work.
 */
const LONG_SHARE_MS = 2;

/**
 * Shares the turns of the event loop among many callers. The work of each is short, but all of it
 * together is long. Work that does not fit into a turn waits for the next one, first come, first served.
 */
class TurnShare {
  readonly #waiting: Array<() => void> = [];
  readonly #shareMs: number;
  #isInTurn = false;
  #startedAt = 0;

  constructor(shareMs: number) {
    this.#shareMs = shareMs;
  }

  /** Returns undefined if the caller may work for some milliseconds now; else resolves once it may. */
  next(): Promise<void> | undefined {
    this.#ensureTurn();
    if (this.#waiting.length === 0 && !this.#isUsedUp()) return undefined;
    return new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #isUsedUp(): boolean {
    return performance.now() - this.#startedAt >= this.#shareMs;
  }

  /** Starts a turn, unless one is in progress. */
  #ensureTurn(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    this.#startedAt = performance.now();
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isInTurn = false;
    if (this.#waiting.length > 0) this.#release();
  }

  /**
   * Releases one caller at a time: how long its work takes is known only afterwards. A tick that is
   * requested in a microtask runs once all microtasks are done, so it runs after that work.
   */
  #release(): void {
    this.#ensureTurn();
    if (this.#isUsedUp()) return;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) queueMicrotask(() => process.nextTick(() => this.#release()));
  }
}

// These are global because all servers in a process share its one event loop.
const shortWork = new TurnShare(SHORT_SHARE_MS);
const longWork = new TurnShare(LONG_SHARE_MS);

/** Await this before short work that anybody may request at any rate. */
export const nextTurn = (): Promise<void> | undefined => shortWork.next();

/** Await this between the chunks of long work, so that short work does not have to wait. */
export const nextLongTurn = (): Promise<void> | undefined => longWork.next();

/** How long work may run before it yields to other work. */
const CHUNK_MS = 1;

/** Lets long work yield to other work: `await pace.next()` between short steps. */
export class Pace {
  #resumedAt = performance.now();

  /** Returns undefined if the work has run only briefly since its last pause. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#resumedAt < CHUNK_MS ? undefined : this.#pause();
  }

  async #pause(): Promise<void> {
    await nextLongTurn();
    this.#resumedAt = performance.now();
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Edits are committed within this time of their arrival. Others see them at once. */
const COMMITTED_WITHIN_MS = 250;
/** Bounds of the time to gather edits, which leaves room for a commit twice as long as the last. */
const MAX_GATHER_MS = 180;
const MIN_GATHER_MS = 50;

/** Decides for how long edits gather, so that they are committed together. */
export class Gathering {
  /** Whether a caller waits, so that pending edits must not gather any longer. */
  #isHurried = false;
  /** Ends the present wait. */
  #endGathering: (() => void) | undefined;
  /** Whether the process is stopping, so that no edits gather any more. */
  #isOver = false;
  /** A time at or after the arrival of the oldest pending edit. */
  #waitingSince = 0;
  #takenAt = Number.NEGATIVE_INFINITY;

  /** The first edit has arrived that is not taken yet. */
  begin(): void {
    this.#waitingSince = performance.now();
  }

  /** Pending edits are to be taken at once. */
  hurry(): void {
    this.#isHurried = true;
    this.#endGathering?.();
  }

  /** From now on, all edits are to be taken at once. */
  end(): void {
    this.#isOver = true;
    this.hurry();
  }

  /**
   * Waits for one turn at least, so that edits that arrive together are committed together.
   *
   * @param commitMs how long the last commit took
   */
  async wait(commitMs: number): Promise<void> {
    const gatherMs = Math.min(MAX_GATHER_MS, COMMITTED_WITHIN_MS - 2 * commitMs);
    const gathersUntil = this.#waitingSince + Math.max(MIN_GATHER_MS, gatherMs);
    const isAlone = this.#waitingSince > this.#takenAt + MAX_GATHER_MS;
    const waitMs = gathersUntil - performance.now();
    if (!isAlone && !this.#isHurried && waitMs > 0) await this.#hurriedOrAfter(waitMs);
    await nextTurn();
    this.#isHurried = this.#isOver;
    this.#takenAt = performance.now();
  }

  async #hurriedOrAfter(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#endGathering = resolve;
    await promise;
    clearTimeout(timer);
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Edits are committed within this time of their arrival. Others see them at once. */
const COMMITTED_WITHIN_MS = 250;
/** Bounds of the time for which edits gather. The next commit may take twice as long as the last one. */
const MAX_GATHER_MS = 180;
const MIN_GATHER_MS = 50;

/** Decides for how long edits gather, so that they are committed together. */
export class Gathering {
  /** Whether a caller waits, so that pending edits must not gather any longer. */
  #isHurried = false;
  /** Ends the current wait. */
  #endGathering: (() => void) | undefined;
  /** Whether the process is stopping, so that no edits gather any more. */
  #isOver = false;
  /** When edits began to wait, in milliseconds of `performance.now()`. */
  #waitingSince = 0;
  /** When the last wait ended, and pending edits were taken. */
  #takenAt = Number.NEGATIVE_INFINITY;

  /** Call this when an edit arrives while no others are pending. */
  begin(): void {
    this.#waitingSince = performance.now();
  }

  /** Lets pending edits be taken at once. */
  hurry(): void {
    this.#isHurried = true;
    this.#endGathering?.();
  }

  /** Lets all edits be taken at once from now on. */
  end(): void {
    this.#isOver = true;
    this.hurry();
  }

  /**
   * Waits while edits gather, for one turn at least. An edit after a pause does not wait any longer.
   *
   * @param commitMs how long the last commit took
   */
  async wait(commitMs: number): Promise<void> {
    const gatherMs = Math.min(MAX_GATHER_MS, COMMITTED_WITHIN_MS - 2 * commitMs);
    const gathersUntil = this.#waitingSince + Math.max(MIN_GATHER_MS, gatherMs);
    const isAfterPause = this.#waitingSince > this.#takenAt + MAX_GATHER_MS;
    const waitMs = gathersUntil - performance.now();
    if (!isAfterPause && !this.#isHurried && waitMs > 0) await this.#waitUnlessHurried(waitMs);
    await nextTurn();
    this.#isHurried = this.#isOver;
    this.#takenAt = performance.now();
  }

  async #waitUnlessHurried(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#endGathering = resolve;
    await promise;
    clearTimeout(timer);
  }
}

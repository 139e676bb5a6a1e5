import { setImmediate as nextTurn } from 'node:timers/promises';

/** Edits are committed within this time after their arrival. Other editors see them at once. */
const COMMITTED_WITHIN_MS = 250;
/** The bounds of the delay. */
const MAX_DELAY_MS = 180;
const MIN_DELAY_MS = 50;

/** Delays commits while edits gather, so that they are committed together. */
export class CommitDelay {
  /** Whether a caller is waiting, so that the next commit must not be delayed any longer. */
  #isHurried = false;
  /** Ends the current delay. */
  #endDelay: (() => void) | undefined;
  /** Whether the process is stopping, so that commits are no longer delayed. */
  #isDisabled = false;
  /** When edits began to wait, in milliseconds of `performance.now()`. */
  #waitingSince = 0;
  /** When the last delay ended, and pending edits were taken. */
  #takenAt = Number.NEGATIVE_INFINITY;

  /** Call this when an edit arrives while no others are pending. */
  begin(): void {
    this.#waitingSince = performance.now();
  }

  /** Lets the next commit begin at once. */
  hurry(): void {
    this.#isHurried = true;
    this.#endDelay?.();
  }

  /** Lets all commits begin at once from now on. */
  disable(): void {
    this.#isDisabled = true;
    this.hurry();
  }

  /**
   * Waits while edits gather, for at least one turn of the event loop. The first edit after a quiet period
   * waits only for that turn.
   *
   * @param commitMs how long the last commit took
   */
  async wait(commitMs: number): Promise<void> {
    // The next commit may take twice as long as the last one.
    const maxDelayMs = Math.min(MAX_DELAY_MS, COMMITTED_WITHIN_MS - 2 * commitMs);
    const delayedUntil = this.#waitingSince + Math.max(MIN_DELAY_MS, maxDelayMs);
    const isAfterQuietPeriod = this.#waitingSince > this.#takenAt + MAX_DELAY_MS;
    const waitMs = delayedUntil - performance.now();
    if (!isAfterQuietPeriod && !this.#isHurried && waitMs > 0)
      await this.#waitUnlessHurried(waitMs);
    await nextTurn();
    this.#isHurried = this.#isDisabled;
    this.#takenAt = performance.now();
  }

  async #waitUnlessHurried(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#endDelay = resolve;
    await promise;
    clearTimeout(timer);
  }
}

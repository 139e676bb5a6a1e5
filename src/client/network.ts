import { Listeners } from './listeners.ts';
import { delay, followSignals } from './retry.ts';

const FIRST_DELAY_MS = 400;
/** The attempts of the first 20 seconds have a short delay, since a server may be restarting. */
const QUICK_ATTEMPTS = 50;
const LONGEST_DELAY_MS = 30_000;
/** A connection that ends earlier counts as a failed attempt. */
const SETTLED_MS = 2_000;

/**
 * Decides when sockets and waiting writes try again to reach the server: at once when the browser is online
 * or the page is seen again, otherwise with growing delays.
 */
export class Network {
  #failures = 0;
  #lastAttempt = Promise.resolve();
  #waking = new AbortController();
  readonly #wakeListeners = new Listeners();
  readonly #awayListeners = new Listeners();
  /** Calls the listener when the network or the page may have woken. @returns a function that ends the subscription */
  readonly onWake = this.#wakeListeners.subscribe;
  /** Calls the listener when `isAway` may have changed. @returns a function that ends the subscription */
  readonly subscribe = this.#awayListeners.subscribe;

  constructor(ending: AbortSignal) {
    if (typeof document === 'undefined') return;
    const wake = () => this.wake();
    addEventListener('online', wake, { signal: ending });
    addEventListener('offline', wake, { signal: ending });
    const seen = () => document.visibilityState === 'visible' && this.wake();
    document.addEventListener('visibilitychange', seen, { signal: ending });
  }

  /** Whether the browser is offline, or the last attempts failed. */
  get isAway(): boolean {
    return this.isOffline || this.#failures > 0;
  }

  get isOffline(): boolean {
    return typeof navigator !== 'undefined' && navigator.onLine === false;
  }

  /**
   * Resolves when the next attempt at a connection is due: at once while none has failed. Several sockets
   * wait one after the other, so that together they make no more attempts than one.
   */
  untilAttempt(): Promise<void> {
    this.#lastAttempt = this.#lastAttempt.then(() => this.#untilDue());
    return this.#lastAttempt;
  }

  async #untilDue(): Promise<void> {
    if (!this.isAway) return;
    const slowAttempts = Math.max(0, this.#failures - QUICK_ATTEMPTS);
    const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** slowAttempts);
    await this.pause(delayMs * (0.75 + Math.random() / 2));
  }

  /** Resolves once the server is reached, or after half a minute; at once while no attempt has failed. */
  async untilBack(): Promise<void> {
    if (this.isAway) await this.pause(LONGEST_DELAY_MS);
  }

  /** Resolves after the delay, or earlier when the server is back or the signal fires, or later while offline. */
  async pause(delayMs: number, signal?: AbortSignal): Promise<void> {
    const ending = followSignals(this.#waking.signal, signal);
    await delay(this.isOffline ? LONGEST_DELAY_MS : delayMs, ending.signal).catch(() => {});
    ending.abort();
  }

  /** Records that an attempt to reach the server has failed. */
  failed(): void {
    this.#failures++;
    this.#awayListeners.notify();
  }

  /** Records that the server has answered. */
  reached(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#endWaits();
  }

  /** Records the end of a connection. @param lastedMs how long it was open */
  ended(lastedMs: number): void {
    if (lastedMs < SETTLED_MS) this.failed();
    else this.reached();
  }

  /** Starts all waiting attempts at once, and checks the open connections. */
  wake(): void {
    // The delays begin anew, but the network still counts as away until the server is reached.
    this.#failures = Math.min(this.#failures, 1);
    this.#wakeListeners.notify();
    this.#endWaits();
  }

  #endWaits(): void {
    if (!this.isOffline) {
      this.#waking.abort();
      this.#waking = new AbortController();
    }
    this.#awayListeners.notify();
  }
}

import { Listeners } from './listeners.ts';
import { delay, linkedController } from './retry.ts';

const FIRST_DELAY_MS = 400;
/** The attempts of the first 20 seconds have a short delay, since a server may be restarting. */
const QUICK_ATTEMPTS = 50;
const MAX_DELAY_MS = 30_000;
/** A connection that ends earlier counts as a failed attempt. */
const MIN_CONNECTION_MS = 2_000;

/**
 * Decides when sockets and waiting writes try again to reach the server: at once when the browser is online
 * or the page is seen again, otherwise with growing delays.
 */
export class Network {
  #failures = 0;
  #lastAttempt = Promise.resolve();
  #waking = new AbortController();
  readonly #wakeListeners = new Listeners();
  readonly #statusListeners = new Listeners();
  /**
   * Calls the listener when the network has changed, or the page is seen again.
   *
   * @returns a function that ends the subscription
   */
  readonly onWake = this.#wakeListeners.subscribe;
  /** Calls the listener when `isUnreachable` may have changed. @returns a function that ends the subscription */
  readonly subscribe = this.#statusListeners.subscribe;

  constructor(ending: AbortSignal) {
    if (typeof document === 'undefined') return;
    const wake = () => this.wake();
    addEventListener('online', wake, { signal: ending });
    addEventListener('offline', wake, { signal: ending });
    const wakeIfVisible = () => document.visibilityState === 'visible' && this.wake();
    document.addEventListener('visibilitychange', wakeIfVisible, { signal: ending });
  }

  /** Whether the browser is offline, or the last attempt to reach the server failed. */
  get isUnreachable(): boolean {
    return this.isOffline || this.#failures > 0;
  }

  get isOffline(): boolean {
    return typeof navigator !== 'undefined' && navigator.onLine === false;
  }

  /**
   * Resolves when the next attempt to connect is due: at once if the last one succeeded. Several sockets wait one
   * after the other, so that together they make no more attempts than one.
   */
  untilAttempt(): Promise<void> {
    this.#lastAttempt = this.#lastAttempt.then(() => this.#untilDue());
    return this.#lastAttempt;
  }

  async #untilDue(): Promise<void> {
    if (!this.isUnreachable) return;
    const slowAttempts = Math.max(0, this.#failures - QUICK_ATTEMPTS);
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** slowAttempts);
    await this.pause(delayMs * (0.75 + Math.random() / 2));
  }

  /** Resolves once the server is reachable, and after half a minute at the latest. */
  async untilReachable(): Promise<void> {
    if (this.isUnreachable) await this.pause(MAX_DELAY_MS);
  }

  /** Waits for the delay, or longer while the browser is offline. The return of the server and the signal end the wait. */
  async pause(delayMs: number, signal?: AbortSignal): Promise<void> {
    const ending = linkedController(this.#waking.signal, signal);
    await delay(this.isOffline ? MAX_DELAY_MS : delayMs, ending.signal).catch(() => {});
    ending.abort();
  }

  /** Records that an attempt to reach the server has failed. */
  recordFailure(): void {
    this.#failures++;
    this.#statusListeners.notify();
  }

  /** Records an answer of the server. */
  recordContact(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#endDelays();
  }

  /** Records the end of a connection. @param lastedMs how long it was open */
  recordClose(lastedMs: number): void {
    if (lastedMs < MIN_CONNECTION_MS) this.recordFailure();
    else this.recordContact();
  }

  /** Starts all waiting attempts at once, and makes the open connections check themselves. */
  wake(): void {
    // The delays begin anew, but the server still counts as unreachable until it answers.
    this.#failures = Math.min(this.#failures, 1);
    this.#wakeListeners.notify();
    this.#endDelays();
  }

  #endDelays(): void {
    if (!this.isOffline) {
      this.#waking.abort();
      this.#waking = new AbortController();
    }
    this.#statusListeners.notify();
  }
}

import { Listeners } from './listeners.ts';
import { delay, linkedController } from './retry.ts';

const FIRST_DELAY_MS = 400;
/** The number of attempts with a short delay. They take 20 seconds, in which a server may restart. */
const QUICK_ATTEMPTS = 50;
const MAX_DELAY_MS = 30_000;
/** A connection that ends earlier counts as a failed attempt. */
const MIN_CONNECTION_MS = 2_000;

/**
 * Decides when sockets and waiting writes try again to reach the server: at once when the browser is back online
 * or the page becomes visible again, otherwise with growing delays.
 */
export class Network {
  #failures = 0;
  #lastAttempt = Promise.resolve();
  #waking = new AbortController();
  readonly #wakeListeners = new Listeners();
  readonly #statusListeners = new Listeners();
  /**
   * Calls the listener when the network has changed, or the page has become visible again.
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
   * Resolves when the next attempt to connect is due: at once if the last attempt succeeded. Sockets take turns, so
   * that several together make no more attempts than a single one would.
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

  /** Resolves once the server is reachable, but after half a minute at the latest. */
  async untilReachable(): Promise<void> {
    if (this.isUnreachable) await this.pause(MAX_DELAY_MS);
  }

  /** Waits for the delay, or longer while the browser is offline. Ends early when the server is back or the signal fires. */
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

  /** Records that the server has responded. */
  recordContact(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#networkChanged();
  }

  /** Records the end of a connection. @param lastedMs how long it was open */
  recordClose(lastedMs: number): void {
    if (lastedMs < MIN_CONNECTION_MS) this.recordFailure();
    else this.recordContact();
  }

  /** Makes open connections check themselves and, unless the browser is offline, starts all waiting attempts at once. */
  wake(): void {
    // Start again with a short delay, but treat the server as unreachable until it responds.
    this.#failures = Math.min(this.#failures, 1);
    this.#wakeListeners.notify();
    this.#networkChanged();
  }

  /** Ends all delays, unless the browser is offline, and calls the listeners. */
  #networkChanged(): void {
    if (!this.isOffline) {
      this.#waking.abort();
      this.#waking = new AbortController();
    }
    this.#statusListeners.notify();
  }
}

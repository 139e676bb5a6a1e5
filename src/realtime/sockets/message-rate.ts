/** A socket may carry many documents, each of which sends a few messages when it opens. */
export const MESSAGES = { perSecond: 500, burst: 5_000 };
/** Each document is opened again when the network comes back. */
export const OPENINGS = { perSecond: 10, burst: 200 };

/** A token bucket: messages above the rate are allowed as long as it lasts. */
export class MessageRate {
  readonly #limit: typeof MESSAGES;
  #tokens: number;
  #at = performance.now();

  constructor(limit: typeof MESSAGES) {
    this.#limit = limit;
    this.#tokens = limit.burst;
  }

  /** Whether one more message is within the limit. */
  take(): boolean {
    const { perSecond, burst } = this.#limit;
    const now = performance.now();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
    this.#tokens -= 1;
    return this.#tokens >= 0;
  }
}

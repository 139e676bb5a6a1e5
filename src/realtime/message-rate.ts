/** A socket may carry many documents, and each says a few things when it opens. */
const MESSAGES_A_SECOND = 500;
const BURST = 5_000;

/** A token bucket: messages above the rate are allowed as long as it lasts. */
export class MessageRate {
  #tokens = BURST;
  #at = performance.now();

  /** Whether one more message is within the limit. */
  take(): boolean {
    const now = performance.now();
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#at) / 1_000) * MESSAGES_A_SECOND);
    this.#at = now;
    this.#tokens -= 1;
    return this.#tokens >= 0;
  }
}

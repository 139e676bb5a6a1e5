/** An endpoint's rate limit, as a token bucket that holds the tokens of one second. */
export class TokenBucket {
  #tokens: number;
  /** Epoch milliseconds. */
  #at: number;

  /** Continues from a stored state, perhaps of another process. Null tokens stand for a full one. */
  constructor(tokens: number | null, at: number) {
    this.#tokens = tokens ?? Number.POSITIVE_INFINITY;
    this.#at = at;
  }

  /** @returns whether a delivery may be sent now */
  take(perSecond: number, now: number): boolean {
    this.#fill(perSecond, now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds until the next delivery may be sent. */
  waitMs(perSecond: number, now: number): number {
    this.#fill(perSecond, now);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / perSecond) * 1000;
  }

  /** The state to store. Tokens are null when the endpoint never had a limit. */
  get state(): { tokens: number | null; at: Date } {
    return { tokens: Number.isFinite(this.#tokens) ? this.#tokens : null, at: new Date(this.#at) };
  }

  #fill(perSecond: number, now: number): void {
    // A clock that was set back must not fill the bucket twice for the same moment.
    const elapsedMs = Math.max(0, now - this.#at);
    this.#tokens = Math.min(perSecond, this.#tokens + (elapsedMs / 1000) * perSecond);
    this.#at = Math.max(this.#at, now);
  }
}

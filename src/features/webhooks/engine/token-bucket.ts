/** How many deliveries may leave at the moment: a bucket that holds one second's worth. */
export class TokenBucket {
  #tokens: number;
  /** Epoch milliseconds. */
  #at: number;

  /** As it was when somebody looked last, maybe another process; full when nobody ever did. */
  constructor(tokens: number | null, at: number) {
    this.#tokens = tokens ?? Number.POSITIVE_INFINITY;
    this.#at = at;
  }

  /** @returns whether one may leave now */
  take(perSecond: number, now: number): boolean {
    this.#fill(perSecond, now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds until one may leave. */
  waitMs(perSecond: number, now: number): number {
    this.#fill(perSecond, now);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / perSecond) * 1000;
  }

  /** For whoever goes on with it; nothing, when no limit was ever asked about. */
  get state(): { tokens: number | null; at: Date } {
    return { tokens: Number.isFinite(this.#tokens) ? this.#tokens : null, at: new Date(this.#at) };
  }

  #fill(perSecond: number, now: number): void {
    // A clock that is behind must not give the same moment twice.
    const elapsedMs = Math.max(0, now - this.#at);
    this.#tokens = Math.min(perSecond, this.#tokens + (elapsedMs / 1000) * perSecond);
    this.#at = Math.max(this.#at, now);
  }
}

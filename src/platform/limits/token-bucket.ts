interface BucketRate {
  perSecond: number;
  /** How many tokens a full bucket holds. */
  burst: number;
}

/**
 * A token bucket. It starts full, and may go into debt by any amount, so that work of any size is
 * possible. Times are in milliseconds, by default by `performance.now()`.
 */
export class TokenBucket {
  /** May be changed at any time: the next call refills the bucket at the new rate. */
  rate: BucketRate;
  #tokens: number;
  #refilledAt: number;

  constructor(rate: BucketRate, tokens = rate.burst, at = performance.now()) {
    this.rate = rate;
    this.#tokens = tokens;
    this.#refilledAt = at;
  }

  /** Takes tokens out, into debt if necessary. Returns whether the bucket held that many. */
  spend(tokens = 1, now?: number): boolean {
    this.#refill(now);
    this.#tokens -= tokens;
    return this.#tokens >= 0;
  }

  /** Returns the milliseconds until the bucket holds `tokens`; by default, until it has no debt. */
  waitMs(tokens = 0, now?: number): number {
    this.#refill(now);
    const missing = tokens - this.#tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / this.rate.perSecond) * 1_000);
  }

  /** The tokens after the last call, and its time. Another process may continue from there. */
  get snapshot(): { tokens: number; at: number } {
    return { tokens: this.#tokens, at: this.#refilledAt };
  }

  #refill(now = performance.now()): void {
    const { perSecond, burst } = this.rate;
    // A clock that was set back must not fill the bucket twice for the same moment.
    const elapsedMs = Math.max(0, now - this.#refilledAt);
    this.#tokens = Math.min(burst, this.#tokens + (elapsedMs / 1_000) * perSecond);
    this.#refilledAt = Math.max(this.#refilledAt, now);
  }
}

/** Full buckets are removed only when there are more buckets than this. */
const MIN_PRUNED_SIZE = 10_000;

/** A bucket for each name, all with the same rate. */
export class KeyedBuckets {
  readonly #rate: BucketRate;
  readonly #buckets = new Map<string, TokenBucket>();
  /** The number of buckets above which full ones are removed. */
  #pruneAbove = MIN_PRUNED_SIZE;

  constructor(rate: BucketRate) {
    this.#rate = rate;
  }

  /** Returns the milliseconds until the name has no debt. */
  waitMs(name: string): number {
    return this.#buckets.get(name)?.waitMs() ?? 0;
  }

  spend(name: string, tokens: number): void {
    const bucket = this.#buckets.get(name) ?? new TokenBucket(this.#rate);
    bucket.spend(tokens);
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > this.#pruneAbove) this.#removeFull();
  }

  #removeFull(): void {
    for (const [name, bucket] of this.#buckets) {
      if (bucket.waitMs(this.#rate.burst) === 0) this.#buckets.delete(name);
    }
    this.#pruneAbove = Math.max(MIN_PRUNED_SIZE, 2 * this.#buckets.size);
  }
}

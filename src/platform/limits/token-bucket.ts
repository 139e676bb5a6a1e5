export interface BucketRate {
  perSecond: number;
  /** How many tokens a full bucket holds. */
  burst: number;
}

/** A token bucket of one connection. It starts full, and may go into debt by what is spent at once. */
export class TokenBucket {
  readonly #rate: BucketRate;
  #tokens: number;
  #at = performance.now();

  constructor(rate: BucketRate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  /** Returns whether the bucket held that many tokens. They are gone in either case. */
  spend(tokens = 1): boolean {
    this.#refill();
    this.#tokens -= tokens;
    return this.#tokens >= 0;
  }

  /** Returns the milliseconds until the debt is paid off; 0 without debt. */
  waitMs(): number {
    this.#refill();
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / this.#rate.perSecond) * 1_000);
  }

  #refill(): void {
    const { perSecond, burst } = this.#rate;
    const now = performance.now();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
  }
}

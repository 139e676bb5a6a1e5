import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** The largest lease, as a share of all allowed calls. Its unused calls are lost. */
const LARGEST_PART = 1 / 8;

/** How long a process counts alone after the shared counter did not answer. */
const ALONE_MS = 2_000;

/** Calls that a process may let through without asking the shared counter. */
interface Lease {
  left: number;
  size: number;
  /** By `performance.now()`. */
  endsAt: number;
  /** Whether the counter has no further calls in this window. */
  isLast: boolean;
}

/**
 * Takes calls from a shared counter several at a time, so that a busy name does not cost a round
 * trip for each call. The first lease of a window has one call, and each next lease twice as many,
 * so that a name with few calls loses none. While the counter does not answer, this process counts
 * alone.
 */
export class LeasedLimiter {
  readonly #counters: RateLimiterAbstract;
  readonly #ownCounters: RateLimiterAbstract;
  readonly #largest: number;
  #aloneUntil = 0;
  /** By name, the oldest first. */
  readonly #leases = new Map<string, Lease>();
  readonly #renewals = new Map<string, Promise<Lease>>();

  /** @param ownCounters those of this process, with the same limit */
  constructor(counters: RateLimiterAbstract, ownCounters: RateLimiterAbstract) {
    this.#counters = counters;
    this.#ownCounters = ownCounters;
    this.#largest = Math.max(1, Math.floor(counters.points * LARGEST_PART));
  }

  /** @throws RateLimiterRes when no call is left in the window */
  async consume(name: string): Promise<void> {
    if (performance.now() >= this.#aloneUntil) {
      try {
        return await this.#consumeLease(name);
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        this.#aloneUntil = performance.now() + ALONE_MS;
      }
    }
    await this.#ownCounters.consume(name);
  }

  async #consumeLease(name: string): Promise<void> {
    for (;;) {
      const lease = this.#current(name) ?? (await this.#renew(name));
      if (lease.left > 0) {
        lease.left -= 1;
        return;
      }
      if (lease.isLast) throw new RateLimiterRes(0, lease.endsAt - performance.now());
    }
  }

  /** The lease of this window, unless it is used up and can be renewed. */
  #current(name: string): Lease | undefined {
    const lease = this.#leases.get(name);
    if (!lease || lease.endsAt <= performance.now()) return undefined;
    return lease.left > 0 || lease.isLast ? lease : undefined;
  }

  /** Callers who find no lease wait for the same renewal. */
  #renew(name: string): Promise<Lease> {
    const known = this.#renewals.get(name);
    if (known !== undefined) return known;
    const renewal = this.#lease(name).finally(() => this.#renewals.delete(name));
    this.#renewals.set(name, renewal);
    return renewal;
  }

  async #lease(name: string): Promise<Lease> {
    const last = this.#leases.get(name);
    const isSameWindow = last !== undefined && last.endsAt > performance.now();
    const size = isSameWindow ? Math.min(2 * last.size, this.#largest) : 1;
    const { granted, msBeforeNext } = await this.#consumeShared(name, size);
    const endsAt = performance.now() + msBeforeNext;
    const lease = { left: granted, size, endsAt, isLast: granted < size };
    this.#removeEnded();
    this.#leases.delete(name);
    this.#leases.set(name, lease);
    return lease;
  }

  /** The counter refuses a lease even if some of its calls are left. These are granted. */
  async #consumeShared(
    name: string,
    size: number,
  ): Promise<{ granted: number; msBeforeNext: number }> {
    try {
      const { msBeforeNext } = await this.#counters.consume(name, size);
      return { granted: size, msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const { consumedPoints, msBeforeNext } = refusal;
      const granted = Math.max(0, this.#counters.points - (consumedPoints - size));
      return { granted, msBeforeNext };
    }
  }

  #removeEnded(): void {
    const now = performance.now();
    for (const [name, { endsAt }] of this.#leases) {
      if (endsAt > now) return;
      this.#leases.delete(name);
    }
  }
}

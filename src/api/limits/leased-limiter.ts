import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** The largest lease, as a part of all calls that are allowed: what it leaves unused is lost. */
const LARGEST_PART = 1 / 8;

/** Calls that a process may still let through without asking. */
interface Lease {
  left: number;
  size: number;
  endsAt: number;
}

/**
 * Takes calls from a shared counter several at a time, so that a busy name does not cost a round trip
 * for each call. The first lease of a window is one call, and each next one twice the last: a name
 * that is asked for rarely loses nothing.
 */
export class LeasedLimiter {
  readonly #counters: RateLimiterAbstract;
  readonly #points: number;
  readonly #largest: number;
  /** By name, the oldest first. */
  readonly #leases = new Map<string, Lease>();
  readonly #renewals = new Map<string, Promise<Lease>>();

  /** @param points the number of calls that the counters allow in a window */
  constructor(counters: RateLimiterAbstract, points: number) {
    this.#counters = counters;
    this.#points = points;
    this.#largest = Math.max(1, Math.floor(points * LARGEST_PART));
  }

  /** @throws RateLimiterRes when no call is left in the window */
  async consume(name: string): Promise<RateLimiterRes> {
    for (;;) {
      const lease = this.#valid(name) ?? (await this.#renew(name));
      if (lease.left > 0) {
        lease.left -= 1;
        return new RateLimiterRes(lease.left, lease.endsAt - performance.now());
      }
    }
  }

  #valid(name: string): Lease | undefined {
    const lease = this.#leases.get(name);
    return lease && lease.left > 0 && lease.endsAt > performance.now() ? lease : undefined;
  }

  /** Callers who find no lease wait for the same renewal. */
  #renew(name: string): Promise<Lease> {
    const known = this.#renewals.get(name);
    if (known !== undefined) return known;
    const renewal = this.#take(name).finally(() => this.#renewals.delete(name));
    this.#renewals.set(name, renewal);
    return renewal;
  }

  async #take(name: string): Promise<Lease> {
    const last = this.#leases.get(name);
    const isSameWindow = last !== undefined && last.endsAt > performance.now();
    const size = isSameWindow ? Math.min(2 * last.size, this.#largest) : 1;
    const { granted, msBeforeNext } = await this.#ask(name, size);
    const lease = { left: granted, size, endsAt: performance.now() + msBeforeNext };
    this.#removeEnded();
    this.#leases.delete(name);
    this.#leases.set(name, lease);
    return lease;
  }

  /** The counter refuses a lease as a whole, also where some of its calls were left. */
  async #ask(name: string, size: number): Promise<{ granted: number; msBeforeNext: number }> {
    try {
      const { msBeforeNext } = await this.#counters.consume(name, size);
      return { granted: size, msBeforeNext };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const { consumedPoints, msBeforeNext } = refusal;
      const granted = this.#points - (consumedPoints - size);
      if (granted <= 0) throw refusal;
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

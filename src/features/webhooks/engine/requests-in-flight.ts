/** The most requests that one worker has in flight, apart from the first few of each tenant. */
const MAX_IN_FLIGHT = 2_000;
/** The share of these requests that one tenant may take, so that there is room for others. */
const TENANT_SHARE = 0.5;
/** The requests that each tenant may have in flight even if others use up the worker's limit. */
const TENANT_MIN_IN_FLIGHT = 4;
/** Including these requests, a worker has at most this many times its limit in flight: each takes a connection. */
const MAX_EXCESS_FACTOR = 4;

/** Counts and limits a worker's requests in flight, in total and for each tenant. */
export class RequestsInFlight {
  readonly #max: number;
  /** The number of requests in flight, by tenant. */
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(max = MAX_IN_FLIGHT) {
    this.#max = max;
  }

  /** Whether the worker may send nothing at all until a request has ended. */
  get isFull(): boolean {
    return this.#total >= this.#max * MAX_EXCESS_FACTOR;
  }

  maySend(tenantId: string): boolean {
    const isFirst = this.#countOf(tenantId) < TENANT_MIN_IN_FLIGHT;
    return (isFirst && !this.isFull) || this.#hasRoom(tenantId);
  }

  /** The tenants that may send nothing until a request has ended. */
  fullTenants(): string[] {
    return [...this.#counts.keys()].filter((tenantId) => !this.maySend(tenantId));
  }

  requestStarted(tenantId: string): void {
    this.#change(tenantId, 1);
  }

  /** @returns whether a limit was reached, so that other requests may have waited for this one */
  requestEnded(tenantId: string): boolean {
    const wasFull = !this.#hasRoom(tenantId);
    this.#change(tenantId, -1);
    return wasFull;
  }

  #hasRoom(tenantId: string): boolean {
    return this.#total < this.#max && this.#countOf(tenantId) < this.#max * TENANT_SHARE;
  }

  #countOf(tenantId: string): number {
    return this.#counts.get(tenantId) ?? 0;
  }

  /** Changes a count, and forgets a tenant whose count is 0, so that the map does not grow. */
  #change(tenantId: string, by: 1 | -1): void {
    this.#total += by;
    const count = this.#countOf(tenantId) + by;
    if (count === 0) this.#counts.delete(tenantId);
    else this.#counts.set(tenantId, count);
  }
}

import type { QueueKey } from '../queues.ts';
import { type EndpointQueue, queueKey } from './endpoint-queue.ts';

export interface QueueLimits {
  /** Endpoints that one worker sends to at a time. */
  queues: number;
  /** Requests that one worker has in flight at a time. */
  inFlight: number;
  /** How long a queue is kept when other queues wait for a place. */
  sliceMs: number;
}

const LIMITS: QueueLimits = { queues: 2_000, inFlight: 2_000, sliceMs: 2_000 };
/** The share of queues and requests that one tenant may take, so that others always find room. */
const TENANT_SHARE = 0.5;

/** The queues that a worker owns, with each tenant's share of queues and requests. */
export class EndpointQueues {
  readonly #limits: QueueLimits;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #queueCounts = new Map<string, number>();
  readonly #inFlightCounts = new Map<string, number>();
  inFlight = 0;

  constructor(limits: QueueLimits = LIMITS) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** How many more queues the worker may claim. */
  get room(): number {
    return this.#limits.queues - this.#queues.size;
  }

  all(): EndpointQueue[] {
    return [...this.#queues.values()];
  }

  get(key: QueueKey): EndpointQueue | undefined {
    return this.#queues.get(queueKey(key));
  }

  add(queue: EndpointQueue): void {
    this.#queues.set(queue.key, queue);
    add(this.#queueCounts, queue.tenantId, 1);
  }

  delete(queue: EndpointQueue): void {
    clearTimeout(queue.timer);
    if (this.#queues.delete(queue.key)) add(this.#queueCounts, queue.tenantId, -1);
  }

  clear(): void {
    for (const queue of this.all()) {
      queue.dropWaiting();
      this.delete(queue);
    }
  }

  /** Tenants of which the worker may claim no more queues. */
  fullTenants(): string[] {
    return [...this.#queueCounts.keys()].filter((tenantId) => this.#hasItsShare(tenantId));
  }

  /** Whether a queue has had its time slice while other queues may wait for a place. */
  mustYield(queue: EndpointQueue): boolean {
    return this.isFull(queue) && performance.now() - queue.claimedAt > this.#limits.sliceMs;
  }

  /** Whether other queues may wait for the place of this one. */
  isFull({ tenantId }: EndpointQueue): boolean {
    return this.room === 0 || this.#hasItsShare(tenantId);
  }

  #hasItsShare(tenantId: string): boolean {
    return (this.#queueCounts.get(tenantId) ?? 0) >= this.#limits.queues * TENANT_SHARE;
  }

  maySend({ tenantId }: EndpointQueue): boolean {
    const ofTenant = this.#inFlightCounts.get(tenantId) ?? 0;
    const { inFlight } = this.#limits;
    return this.inFlight < inFlight && ofTenant < inFlight * TENANT_SHARE;
  }

  began({ tenantId }: EndpointQueue): void {
    this.inFlight += 1;
    add(this.#inFlightCounts, tenantId, 1);
  }

  /** @returns whether a limit was reached, so that other queues may have waited for this request */
  ended(queue: EndpointQueue): boolean {
    const wasFull = !this.maySend(queue);
    this.inFlight -= 1;
    add(this.#inFlightCounts, queue.tenantId, -1);
    return wasFull;
  }
}

/** Removes counts that reach zero, so that the map does not grow with tenants that have left. */
function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

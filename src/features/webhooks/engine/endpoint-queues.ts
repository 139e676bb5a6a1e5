import type { QueueKey } from '../queues.ts';
import { type EndpointQueue, queueKey } from './endpoint-queue.ts';

export interface QueueLimits {
  /** Endpoints that one worker sends to at a time. */
  queues: number;
  /** Requests that are under way. */
  inFlight: number;
  /** Where all queues are taken, each gives way after so long. */
  sliceMs: number;
}

const LIMITS: QueueLimits = { queues: 2_000, inFlight: 2_000, sliceMs: 2_000 };
/** Of queues and requests, so much for one tenant: the others must find room whatever it does. */
const TENANT_SHARE = 0.5;

/** The queues of a worker, and how much each tenant takes. */
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

  /** How many more there may be. */
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

  /** Tenants that have their share of queues. */
  fullTenants(): string[] {
    return [...this.#queueCounts.keys()].filter((tenantId) => this.#hasItsShare(tenantId));
  }

  /** Whether a queue has had its time while others find no room. */
  mustYield(queue: EndpointQueue): boolean {
    const isFull = this.room === 0 || this.#hasItsShare(queue.tenantId);
    return isFull && performance.now() - queue.claimedAt > this.#limits.sliceMs;
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

  /** @returns whether other queues may have waited for it */
  ended(queue: EndpointQueue): boolean {
    const wasFull = !this.maySend(queue);
    this.inFlight -= 1;
    add(this.#inFlightCounts, queue.tenantId, -1);
    return wasFull;
  }
}

/** What is at nothing is forgotten, since tenants come and go. */
function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

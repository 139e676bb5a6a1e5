import { type QueueKey, queueKey } from '../queues.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

export interface QueueLimits {
  /** Endpoints that one worker sends to at a time. */
  queues: number;
  /** Requests that one worker has in flight at a time, apart from the first few of each tenant. */
  inFlight: number;
  /** How long a worker keeps a queue while others may wait for its place. */
  sliceMs: number;
}

const LIMITS: QueueLimits = { queues: 2_000, inFlight: 2_000, sliceMs: 2_000 };
/** The share of queues and requests that one tenant may take, so that others find room. */
const TENANT_SHARE = 0.5;
/** The requests that each tenant may have in flight although others take all that the worker has. */
const TENANT_MIN_IN_FLIGHT = 4;

/** The queues and requests of a worker that belong to one tenant. */
type Counts = Pick<QueueLimits, 'queues' | 'inFlight'>;

/** The queues that a worker owns, with each tenant's share of queues and requests. */
export class EndpointQueues {
  readonly #limits: QueueLimits;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #tenants = new Map<string, Counts>();
  #inFlight = 0;

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

  /** Returns all queues, first those that have not sent for longest. */
  all(): EndpointQueue[] {
    return [...this.#queues.values()];
  }

  get(key: QueueKey): EndpointQueue | undefined {
    return this.#queues.get(queueKey(key));
  }

  add(queue: EndpointQueue): void {
    this.#queues.set(queueKey(queue), queue);
    this.#change(queue, 'queues', 1);
  }

  delete(queue: EndpointQueue): void {
    if (this.#queues.delete(queueKey(queue))) this.#change(queue, 'queues', -1);
  }

  clear(): void {
    for (const queue of this.all()) {
      queue.dropWaiting();
      this.delete(queue);
    }
  }

  /** Tenants of which the worker may claim no more queues. */
  fullTenants(): string[] {
    return [...this.#tenants.keys()].filter((tenantId) => this.#hasFullShare(tenantId, 'queues'));
  }

  /** Whether a queue has had its time slice while other queues may wait for a place. */
  mustYield(queue: EndpointQueue): boolean {
    return this.isFull(queue) && performance.now() - queue.claimedAt > this.#limits.sliceMs;
  }

  /** Whether other queues may wait for the place of this one. */
  isFull({ tenantId }: EndpointQueue): boolean {
    return this.room === 0 || this.#hasFullShare(tenantId, 'queues');
  }

  maySend(queue: EndpointQueue): boolean {
    const { inFlight = 0 } = this.#tenants.get(queue.tenantId) ?? {};
    return inFlight < TENANT_MIN_IN_FLIGHT || this.#hasRoomInFlight(queue);
  }

  began(queue: EndpointQueue): void {
    this.#inFlight += 1;
    this.#change(queue, 'inFlight', 1);
    const key = queueKey(queue);
    if (this.#queues.delete(key)) this.#queues.set(key, queue);
  }

  /** @returns whether a limit was reached, so that other queues may have waited for this request */
  ended(queue: EndpointQueue): boolean {
    const wasFull = !this.#hasRoomInFlight(queue);
    this.#inFlight -= 1;
    this.#change(queue, 'inFlight', -1);
    return wasFull;
  }

  #hasRoomInFlight({ tenantId }: EndpointQueue): boolean {
    return this.#inFlight < this.#limits.inFlight && !this.#hasFullShare(tenantId, 'inFlight');
  }

  #hasFullShare(tenantId: string, resource: keyof Counts): boolean {
    const count = this.#tenants.get(tenantId)?.[resource] ?? 0;
    return count >= this.#limits[resource] * TENANT_SHARE;
  }

  /** Changes a count, and forgets a tenant whose counts are 0, so that the map does not grow. */
  #change({ tenantId }: EndpointQueue, resource: keyof Counts, by: 1 | -1): void {
    const counts = this.#tenants.get(tenantId) ?? { queues: 0, inFlight: 0 };
    counts[resource] += by;
    if (counts.queues + counts.inFlight === 0) this.#tenants.delete(tenantId);
    else this.#tenants.set(tenantId, counts);
  }
}

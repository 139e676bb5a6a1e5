import type { QueueKey } from '../queues.ts';
import { type Lane, laneKey } from './lane.ts';

export interface LaneLimits {
  /** Endpoints that one worker sends to at a time. */
  lanes: number;
  /** Requests that are under way. */
  inFlight: number;
  /** Where all lanes are taken, each gives way after so long. */
  sliceMs: number;
}

const LIMITS: LaneLimits = { lanes: 2_000, inFlight: 2_000, sliceMs: 2_000 };
/** Of lanes and requests, so much for one tenant: the others must find room whatever it does. */
const TENANT_SHARE = 0.5;

/** The lanes of a worker, and how much each tenant takes. */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #lanes = new Map<string, Lane>();
  readonly #laneCounts = new Map<string, number>();
  readonly #inFlightCounts = new Map<string, number>();
  inFlight = 0;

  constructor(limits: LaneLimits = LIMITS) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  /** How many more there may be. */
  get room(): number {
    return this.#limits.lanes - this.#lanes.size;
  }

  all(): Lane[] {
    return [...this.#lanes.values()];
  }

  get(key: QueueKey): Lane | undefined {
    return this.#lanes.get(laneKey(key));
  }

  add(lane: Lane): void {
    this.#lanes.set(lane.key, lane);
    add(this.#laneCounts, lane.tenantId, 1);
  }

  delete(lane: Lane): void {
    clearTimeout(lane.timer);
    if (this.#lanes.delete(lane.key)) add(this.#laneCounts, lane.tenantId, -1);
  }

  clear(): void {
    for (const lane of this.all()) {
      lane.dropWaiting();
      this.delete(lane);
    }
  }

  /** Tenants that have their share of lanes. */
  fullTenants(): string[] {
    return [...this.#laneCounts.keys()].filter((tenantId) => this.#hasItsShare(tenantId));
  }

  /** Whether a lane has had its time while others find no room. */
  mustYield(lane: Lane): boolean {
    const isFull = this.room === 0 || this.#hasItsShare(lane.tenantId);
    return isFull && performance.now() - lane.claimedAt > this.#limits.sliceMs;
  }

  #hasItsShare(tenantId: string): boolean {
    return (this.#laneCounts.get(tenantId) ?? 0) >= this.#limits.lanes * TENANT_SHARE;
  }

  maySend({ tenantId }: Lane): boolean {
    const ofTenant = this.#inFlightCounts.get(tenantId) ?? 0;
    const { inFlight } = this.#limits;
    return this.inFlight < inFlight && ofTenant < inFlight * TENANT_SHARE;
  }

  began({ tenantId }: Lane): void {
    this.inFlight += 1;
    add(this.#inFlightCounts, tenantId, 1);
  }

  /** @returns whether other lanes may have waited for it */
  ended(lane: Lane): boolean {
    const wasFull = !this.maySend(lane);
    this.inFlight -= 1;
    add(this.#inFlightCounts, lane.tenantId, -1);
    return wasFull;
  }
}

/** What is at nothing is forgotten, since tenants come and go. */
function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

import { type Lane, laneKey } from './lane.ts';

/** Endpoints that one worker sends to at a time, and requests that are under way. */
const MAX_LANES = 2_000;
const MAX_IN_FLIGHT = 2_000;
/** Of both, so much for one tenant: the others must find room whatever it does. */
const TENANT_SHARE = 0.5;
/** Where all lanes are taken, each gives way after so long. */
const SLICE_MS = 2_000;

/** The lanes of a worker, and how much each tenant takes. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #laneCounts = new Map<string, number>();
  readonly #inFlightCounts = new Map<string, number>();
  inFlight = 0;

  /** How many more there may be. */
  get room(): number {
    return MAX_LANES - this.#lanes.size;
  }

  all(): Lane[] {
    return [...this.#lanes.values()];
  }

  get(key: { tenantId: string; endpointId: string }): Lane | undefined {
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
    const full = [...this.#laneCounts].filter(([, count]) => count >= MAX_LANES * TENANT_SHARE);
    return full.map(([tenantId]) => tenantId);
  }

  /** Whether a lane has had its time while others find no room. */
  mustYield(lane: Lane): boolean {
    const isFull =
      this.room === 0 || (this.#laneCounts.get(lane.tenantId) ?? 0) >= MAX_LANES * TENANT_SHARE;
    return isFull && performance.now() - lane.claimedAt > SLICE_MS;
  }

  maySend({ tenantId }: Lane): boolean {
    const ofTenant = this.#inFlightCounts.get(tenantId) ?? 0;
    return this.inFlight < MAX_IN_FLIGHT && ofTenant < MAX_IN_FLIGHT * TENANT_SHARE;
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

import { TokenBucket } from '../../../platform/limits/token-bucket.ts';
import type { QueueKey } from '../queues.ts';
import type { DueDelivery } from './bodies.ts';
import type { Destination } from './destination.ts';

/** An endpoint's queue that a worker has just claimed, for the first time or again. */
export interface ClaimedQueue extends QueueKey {
  /** Increases with every change to the endpoint or its deliveries that does not come from a worker. */
  version: number;
  /**
   * The worker loads deliveries that are due before this time. Deliveries that are added later are due
   * later, so the worker can load one page after another without missing any.
   */
  dueBefore: Date;
  /** The state of the endpoint's rate limit (`TokenBucket`). */
  tokens: number | null;
  tokensAt: Date | null;
  failingSince: Date | null;
}

export interface ReadyDelivery
  extends Omit<DueDelivery, 'eventType' | 'organizationId' | 'documentId' | 'data'> {
  /** Deliveries about the same document are sent one after the other. */
  documentKey: string | undefined;
  /** Null if the event is no longer stored. */
  body: string | null;
}

/** How many deliveries of an endpoint may be in flight: at first, and at most. */
const INITIAL_WINDOW = 4;
const MAX_WINDOW = 64;
/** The most characters of all bodies in flight; a larger body is sent alone. */
const MAX_WINDOW_LENGTH = 4 * 1024 * 1024;

/** The rate of a new, full bucket. It gets the endpoint's rate before a delivery is sent. */
const NO_LIMIT = { perSecond: 0, burst: Number.POSITIVE_INFINITY };

/** An endpoint's queue in the memory of the worker that owns it. */
export class EndpointQueue {
  readonly tenantId: string;
  readonly endpointId: string;
  /** The endpoint's rate limit. */
  readonly bucket: TokenBucket;
  version: number;
  dueBefore: Date;
  destination: Destination | undefined;
  failingSince: Date | null;
  /**
   * `outdated`: since the last load, more deliveries may be due, or the endpoint may have changed.
   * `exhausted`: the last load found that nothing more was due.
   */
  state: 'outdated' | 'partlyLoaded' | 'exhausted' = 'outdated';
  /** The delivery after which the next page starts; undefined for the first page. */
  lastLoaded: Pick<DueDelivery, 'dueAt' | 'sequence'> | undefined;
  #window: number;
  /** An estimate of the longest recent body, in characters. */
  #bodyLength = 0;
  #waiting: ReadyDelivery[] = [];
  #inFlight = 0;
  /** The sequences of deliveries in flight, and of those whose outcome is not stored yet. */
  readonly #unrecorded = new Set<string>();
  readonly #busyDocuments = new Set<string>();

  constructor(claimed: ClaimedQueue, now: number) {
    const { tenantId, endpointId, version, dueBefore, tokens, tokensAt, failingSince } = claimed;
    this.tenantId = tenantId;
    this.endpointId = endpointId;
    this.version = version;
    this.dueBefore = dueBefore;
    this.failingSince = failingSince;
    this.bucket = new TokenBucket(NO_LIMIT, tokens ?? undefined, tokensAt?.getTime() ?? now);
    this.#window = failingSince === null ? INITIAL_WINDOW : 1;
  }

  /** How many more deliveries to load, so that sending does not wait for loading. */
  get prefetchCount(): number {
    const max = 2 * Math.min(this.#maxInFlight, this.destination?.rateLimit ?? MAX_WINDOW);
    return this.#waiting.length > max / 2 ? 0 : max - this.#waiting.length;
  }

  /** Whether no delivery of the queue is in memory, so that another worker may claim it. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#unrecorded.size === 0;
  }

  /** Whether to load deliveries and the settings of the endpoint. */
  get needsLoad(): boolean {
    // The first page would contain deliveries that are still in memory.
    if (this.lastLoaded === undefined && !this.isIdle) return false;
    // Changed settings must not wait until the loaded deliveries have been sent.
    return this.state === 'outdated' || (this.state === 'partlyLoaded' && this.prefetchCount > 0);
  }

  /** Call this when the worker has claimed the queue again. */
  reclaim({ version, dueBefore }: ClaimedQueue): void {
    this.version = version;
    this.dueBefore = dueBefore;
    this.state = 'outdated';
  }

  /** Adds loaded deliveries. @param isExhausted whether no more were due */
  addLoaded(loaded: ReadyDelivery[], isExhausted: boolean): void {
    this.state = isExhausted ? 'exhausted' : 'partlyLoaded';
    this.lastLoaded = loaded.at(-1) ?? this.lastLoaded;
    const lengths = loaded.map(({ body }) => body?.length ?? 0);
    if (loaded.length > 0) this.#bodyLength = Math.max(...lengths, this.#bodyLength / 2);
    this.#waiting.push(...loaded);
  }

  /** Drops the deliveries that are not in flight yet. */
  dropWaiting(): void {
    this.#waiting = [];
    this.lastLoaded = undefined;
  }

  /**
   * Returns the next delivery that the endpoint's window and the order within documents allow to send. A
   * delivery that a caller resends during its request waits until the outcome of that request is stored.
   */
  nextReady(): ReadyDelivery | undefined {
    if (this.#inFlight >= this.#maxInFlight) return undefined;
    return this.#waiting.find(
      ({ sequence, documentKey = '' }) =>
        !this.#busyDocuments.has(documentKey) && !this.#unrecorded.has(sequence),
    );
  }

  markInFlight(delivery: ReadyDelivery): void {
    this.#inFlight += 1;
    this.#unrecorded.add(delivery.sequence);
    this.#waiting.splice(this.#waiting.indexOf(delivery), 1);
    if (delivery.documentKey !== undefined) this.#busyDocuments.add(delivery.documentKey);
  }

  /** Widens the endpoint's window by one after a success, and halves it after a failure. */
  markEnded(delivery: ReadyDelivery, isDelivered: boolean): void {
    this.#inFlight -= 1;
    if (delivery.documentKey !== undefined) this.#busyDocuments.delete(delivery.documentKey);
    this.#window = isDelivered
      ? Math.min(MAX_WINDOW, this.#window + 1)
      : Math.max(1, Math.floor(this.#window / 2));
  }

  /** Call this when the outcome of a delivery is stored. */
  markRecorded({ sequence }: Pick<ReadyDelivery, 'sequence'>): void {
    this.#unrecorded.delete(sequence);
  }

  get #maxInFlight(): number {
    return Math.max(1, Math.min(this.#window, Math.floor(MAX_WINDOW_LENGTH / this.#bodyLength)));
  }
}

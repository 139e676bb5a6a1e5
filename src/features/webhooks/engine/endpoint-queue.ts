import { TokenBucket } from '../../../platform/limits/token-bucket.ts';
import type { QueueKey } from '../queues.ts';
import type { Destination } from './destination.ts';
import type { DueDelivery, Position } from './load-due.ts';
import type { ClaimedQueue } from './queue-store.ts';

/** A delivery that is ready to be sent. */
export interface ReadyDelivery
  extends Pick<
    DueDelivery,
    keyof QueueKey | keyof Position | 'createdAt' | 'failures' | 'eventId'
  > {
  /** Deliveries about the same document are sent one after the other. */
  documentKey: string | undefined;
  /** Null when the event is no longer kept. */
  body: string | null;
}

/** How long a queue is kept without deliveries, so that steady traffic claims it once. */
const LINGER_MS = 1_000;
const FIRST_WINDOW = 4;
const MAX_WINDOW = 64;
/** The characters of all bodies in flight together; a single larger body is sent alone. */
const WINDOW_LENGTH = 4 * 1024 * 1024;

/** Its bucket is full, and gets the endpoint's rate when a delivery is to be sent. */
const NO_LIMIT = { perSecond: 0, burst: Number.POSITIVE_INFINITY };

/** An endpoint's queue in the memory of the worker that owns it. */
export class EndpointQueue {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly claimedAt = performance.now();
  /** The endpoint's rate limit. */
  readonly bucket: TokenBucket;
  /** The version of the stored queue when it was last loaded. */
  version: string | null = null;
  destination: Destination | undefined;
  /** The stored settings that the destination was made from. */
  settings: string | null = null;
  failingSince: Date | null;
  /** Whether the last load found that nothing more was due. */
  isExhausted = false;
  /** Whether the queue changed during a load, which may have read it before the change. */
  #changedDuringLoad = false;
  /** The start of the next load. It skips index entries of deliveries already sent. */
  after: Position | undefined;
  /**
   * The start if the queue has changed: a new delivery may be due before a retry that was
   * loaded, and must not wait while later ones of its document are sent.
   */
  afterIfChanged: Position | undefined;
  rewoundAt = performance.now();
  inFlight = 0;
  /** When a delivery was in memory for the last time. */
  #usedAt = Number.NEGATIVE_INFINITY;
  /** Fires when the rate limit allows the next delivery. */
  timer: NodeJS.Timeout | undefined;
  #window: number;
  /** An estimate of the longest recent body, in characters. */
  #bodyLength = 0;
  #waiting: ReadyDelivery[] = [];
  /** Deliveries in memory. They stay until their outcome is stored, lest they are loaded twice. */
  readonly #held = new Set<string>();
  /** Deliveries recorded during a load, which may still have read them as pending. */
  #recordedDuringLoad: Set<string> | undefined;
  readonly #busyDocuments = new Set<string>();

  constructor(claimed: ClaimedQueue, now: number) {
    this.tenantId = claimed.tenantId;
    this.endpointId = claimed.endpointId;
    this.failingSince = claimed.failingSince;
    const { tokens, tokensAt } = claimed;
    this.bucket = new TokenBucket(NO_LIMIT, tokens ?? undefined, tokensAt?.getTime() ?? now);
    this.#window = claimed.failingSince === null ? FIRST_WINDOW : 1;
  }

  get key(): string {
    return queueKey(this);
  }

  /** How many more deliveries to load, so that sending does not wait for loading. */
  get prefetchCount(): number {
    const most = 2 * Math.min(this.#mostInFlight, this.destination?.rateLimit ?? MAX_WINDOW);
    return this.#waiting.length > most / 2 ? 0 : most - this.#waiting.length;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  get isIdle(): boolean {
    return this.#held.size === 0;
  }

  /** Whether the next delivery is likely to come soon. */
  get isLingering(): boolean {
    return performance.now() - this.#usedAt < LINGER_MS;
  }

  rewind(): void {
    this.after = undefined;
    this.afterIfChanged = undefined;
    this.rewoundAt = performance.now();
  }

  /** The stored queue may hold deliveries that were not loaded yet. */
  markChanged(): void {
    this.isExhausted = false;
    this.#changedDuringLoad = true;
  }

  /**
   * Lets the next load start after these deliveries.
   *
   * @param lastDueAt see `LoadedQueue`
   */
  advance(loaded: Position[], lastDueAt: Date | null): void {
    const positions = loaded.map(({ dueAt, sequence }) => ({ dueAt, sequence }));
    this.after = positions.at(-1) ?? this.after;
    const isBeforeNew = ({ dueAt }: Position) => lastDueAt !== null && dueAt <= lastDueAt;
    this.afterIfChanged = positions.findLast(isBeforeNew) ?? this.afterIfChanged;
  }

  beginLoad(): void {
    this.#recordedDuringLoad = new Set();
    this.#changedDuringLoad = false;
  }

  /** Adds the loaded deliveries, except those in memory and those recorded during the load. */
  endLoad(loaded: ReadyDelivery[], isAll: boolean): void {
    this.isExhausted = isAll && !this.#changedDuringLoad;
    const lengths = loaded.map(({ body }) => body?.length ?? 0);
    if (loaded.length > 0) this.#bodyLength = Math.max(...lengths, this.#bodyLength / 2);
    for (const delivery of loaded) {
      const { sequence } = delivery;
      if (this.#held.has(sequence) || this.#recordedDuringLoad?.has(sequence)) continue;
      this.#held.add(sequence);
      this.#waiting.push(delivery);
    }
    this.#recordedDuringLoad = undefined;
  }

  /** Drops the deliveries that are not in flight yet. */
  dropWaiting(): void {
    for (const { sequence } of this.#waiting) this.#held.delete(sequence);
    this.#waiting = [];
    this.rewind();
  }

  /** The next delivery to send, as the endpoint's window and the order within documents allow. */
  next(): ReadyDelivery | undefined {
    if (this.inFlight >= this.#mostInFlight) return undefined;
    return this.#waiting.find(({ documentKey }) => !this.#isBusy(documentKey));
  }

  begin(delivery: ReadyDelivery): void {
    this.inFlight += 1;
    this.#waiting.splice(this.#waiting.indexOf(delivery), 1);
    if (delivery.documentKey !== undefined) this.#busyDocuments.add(delivery.documentKey);
  }

  /** Widens the endpoint's window by one after a success, and halves it after a failure. */
  end(delivery: ReadyDelivery, isDelivered: boolean): void {
    this.inFlight -= 1;
    if (delivery.documentKey !== undefined) this.#busyDocuments.delete(delivery.documentKey);
    this.#window = isDelivered
      ? Math.min(MAX_WINDOW, this.#window + 1)
      : Math.max(1, Math.floor(this.#window / 2));
  }

  recorded(sequence: string): void {
    this.#usedAt = performance.now();
    this.#held.delete(sequence);
    this.#recordedDuringLoad?.add(sequence);
  }

  get #mostInFlight(): number {
    return Math.max(1, Math.min(this.#window, Math.floor(WINDOW_LENGTH / this.#bodyLength)));
  }

  #isBusy(documentKey: string | undefined): boolean {
    return documentKey !== undefined && this.#busyDocuments.has(documentKey);
  }
}

export const queueKey = ({ tenantId, endpointId }: QueueKey): string => `${tenantId}/${endpointId}`;

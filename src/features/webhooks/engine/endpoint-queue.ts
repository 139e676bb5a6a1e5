import type { QueueKey } from '../queues.ts';
import type { Destination } from './destination.ts';
import type { Position } from './load-due.ts';
import type { ClaimedQueue } from './queue-store.ts';
import { TokenBucket } from './token-bucket.ts';

/** A delivery that is ready to be sent. */
export interface ReadyDelivery {
  tenantId: string;
  endpointId: string;
  createdAt: Date;
  sequence: string;
  dueAt: Date;
  failures: number;
  eventId: string;
  /** Deliveries with the same one leave one after the other. */
  documentKey: string | undefined;
  /** Null: its event is no more. */
  body: string | null;
}

const FIRST_WINDOW = 4;
const MAX_WINDOW = 64;
/** Of large bodies, fewer leave at a time: so much together, in characters, or one. */
const WINDOW_LENGTH = 4 * 1024 * 1024;

/** What one endpoint is being sent by the worker that owns its queue. */
export class EndpointQueue {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly claimedAt = performance.now();
  readonly bucket: TokenBucket;
  /** How the queue was when it was looked at last. */
  version = '';
  destination: Destination | undefined;
  failingSince: Date | null;
  /** Whether, when it was looked at last, nothing more was due. */
  isExhausted = false;
  /** Whether something came while a load is under way, which may have looked before. */
  #changedDuringLoad = false;
  /** Where loading goes on: what was sent before it still lies in the index, until it is cleaned. */
  after: Position | undefined;
  rewoundAt = performance.now();
  inFlight = 0;
  /** Wakes the queue when its rate lets the next one leave. */
  timer: NodeJS.Timeout | undefined;
  #window: number;
  /** About as long as the longest body of late. */
  #bodyLength = 0;
  #waiting: ReadyDelivery[] = [];
  /** Everything in memory, until its outcome is stored, so that it is not loaded twice. */
  readonly #held = new Set<string>();
  /** What was stored while a load is under way: the load may have seen it as it was before. */
  #recordedDuringLoad: Set<string> | undefined;
  readonly #busyDocuments = new Set<string>();

  constructor(claimed: ClaimedQueue, now: number) {
    this.tenantId = claimed.tenantId;
    this.endpointId = claimed.endpointId;
    this.failingSince = claimed.failingSince;
    this.bucket = new TokenBucket(claimed.tokens, claimed.tokensAt?.getTime() ?? now);
    this.#window = claimed.failingSince === null ? FIRST_WINDOW : 1;
  }

  get key(): string {
    return queueKey(this);
  }

  /** How many more to load, so that sending does not wait for loading. */
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

  rewind(): void {
    this.after = undefined;
    this.rewoundAt = performance.now();
  }

  /** Something came for the endpoint. */
  markChanged(): void {
    this.isExhausted = false;
    this.#changedDuringLoad = true;
  }

  beginLoad(): void {
    this.#recordedDuringLoad = new Set();
    this.#changedDuringLoad = false;
  }

  /** Takes what a load found and what the queue does not have, or has sent already. */
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

  /** Forgets what has not left yet. */
  dropWaiting(): void {
    for (const { sequence } of this.#waiting) this.#held.delete(sequence);
    this.#waiting = [];
    this.rewind();
  }

  /** The next one that may leave, its document and the endpoint's window permitting. */
  next(): ReadyDelivery | undefined {
    if (this.inFlight >= this.#mostInFlight) return undefined;
    return this.#waiting.find(({ documentKey }) => !this.#isBusy(documentKey));
  }

  begin(delivery: ReadyDelivery): void {
    this.inFlight += 1;
    this.#waiting.splice(this.#waiting.indexOf(delivery), 1);
    if (delivery.documentKey !== undefined) this.#busyDocuments.add(delivery.documentKey);
  }

  /** An endpoint that answers well gets more at a time; one that fails, fewer. */
  end(delivery: ReadyDelivery, isDelivered: boolean): void {
    this.inFlight -= 1;
    if (delivery.documentKey !== undefined) this.#busyDocuments.delete(delivery.documentKey);
    this.#window = isDelivered
      ? Math.min(MAX_WINDOW, this.#window + 1)
      : Math.max(1, Math.floor(this.#window / 2));
  }

  recorded(sequence: string): void {
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

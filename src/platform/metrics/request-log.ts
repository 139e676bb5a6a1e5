import { newId } from '../ids.ts';

/** A call of an operation, without its body and its sender. */
export interface LoggedRequest {
  id: string;
  /** When the call ended, in epoch milliseconds. */
  at: number;
  requestId: string;
  operation: string;
  apiKey: string | null;
  /** The HTTP status of the response. */
  status: number;
  durationMs: number;
  /** How many statements ran in PostgreSQL. */
  statements: number;
}

/** How many failed calls, slowest calls, and samples of the other calls a process keeps per minute. */
const MAX_FAILED = 100;
const MAX_SLOWEST = 50;
const MAX_SAMPLED = 50;
/** Request ids may come from clients, so they are cut to this length. */
const MAX_REQUEST_ID = 100;
/** HTTP statuses from this one on are failures. */
const FIRST_FAILURE = 400;

/** Keeps calls until they are written, but only a limited number, however many calls there are. */
export class RequestLog {
  /** Begins each id; a number follows. A random id for each call would take longer than all else here. */
  readonly #prefix = newId();
  #count = 0;
  #failed: LoggedRequest[] = [];
  /** The slowest one comes last. */
  #slowest: LoggedRequest[] = [];
  #sampled: LoggedRequest[] = [];
  /** How many calls `#sample` has chosen from. */
  #others = 0;

  add(call: Omit<LoggedRequest, 'id'>): void {
    const id = `${this.#prefix}-${++this.#count}`;
    const request = { ...call, id, requestId: call.requestId.slice(0, MAX_REQUEST_ID) };
    if (call.status >= FIRST_FAILURE && this.#failed.length < MAX_FAILED) {
      this.#failed.push(request);
      return;
    }
    const other = this.#keepSlow(request);
    if (other) this.#sample(other);
  }

  /**
   * Keeps a call that is among the slowest.
   *
   * @returns the call that is not among the slowest: this one, or one that it has replaced; undefined
   *   while there is room for all
   */
  #keepSlow(request: LoggedRequest): LoggedRequest | undefined {
    const { length } = this.#slowest;
    if (length === MAX_SLOWEST && request.durationMs <= (this.#slowest[0]?.durationMs ?? 0)) {
      return request;
    }
    const at = this.#slowest.findIndex(({ durationMs }) => durationMs >= request.durationMs);
    this.#slowest.splice(at === -1 ? length : at, 0, request);
    return length === MAX_SLOWEST ? this.#slowest.shift() : undefined;
  }

  /** Keeps each of the other calls with the same probability (reservoir sampling). */
  #sample(request: LoggedRequest): void {
    this.#others++;
    const { length } = this.#sampled;
    const position = length < MAX_SAMPLED ? length : Math.floor(Math.random() * this.#others);
    if (position < MAX_SAMPLED) this.#sampled[position] = request;
  }

  /** The calls that were kept and not yet written. */
  get kept(): LoggedRequest[] {
    return [...this.#failed, ...this.#slowest, ...this.#sampled];
  }

  /** Returns the kept calls, and starts over. */
  take(): LoggedRequest[] {
    const { kept } = this;
    this.#failed = [];
    this.#slowest = [];
    this.#sampled = [];
    this.#others = 0;
    return kept;
  }
}

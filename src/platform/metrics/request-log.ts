import { newId } from '../ids.ts';

/** A call of an operation. It has neither its body nor whoever sent it. */
export interface LoggedRequest {
  id: string;
  /** When it was answered, in epoch milliseconds. */
  at: number;
  requestId: string;
  operation: string;
  apiKey: string | null;
  /** The HTTP status of the answer. */
  status: number;
  durationMs: number;
  /** How many statements ran in PostgreSQL. */
  statements: number;
}

/** Limits for each minute of a process, which keeps failures, the slowest calls, and some of the others. */
const MAX_FAILED = 100;
const MAX_SLOWEST = 50;
const MAX_SAMPLED = 50;
/** Request ids may come from clients. */
const MAX_REQUEST_ID = 100;
/** HTTP statuses from here on are failures. */
const FIRST_FAILURE = 400;

/** Keeps calls until they are written, within a budget that no number of calls exceeds. */
export class RequestLog {
  /** Ids are numbered, since a random one for each call would take longer than all else here. */
  readonly #prefix = newId();
  #count = 0;
  #failed: LoggedRequest[] = [];
  #slowest: LoggedRequest[] = [];
  #sampled: LoggedRequest[] = [];
  /** How many calls were neither failed nor among the slowest. */
  #others = 0;

  add(call: Omit<LoggedRequest, 'id'>): void {
    const id = `${this.#prefix}-${++this.#count}`;
    const request = { ...call, id, requestId: call.requestId.slice(0, MAX_REQUEST_ID) };
    if (call.status >= FIRST_FAILURE && this.#failed.length < MAX_FAILED) {
      this.#failed.push(request);
    } else this.#sample(this.#keepSlow(request));
  }

  /** Keeps a call that is among the slowest. @returns the one that no longer is */
  #keepSlow(request: LoggedRequest): LoggedRequest | undefined {
    const { length } = this.#slowest;
    if (length === MAX_SLOWEST && request.durationMs <= (this.#slowest[0]?.durationMs ?? 0)) {
      return request;
    }
    const at = this.#slowest.findIndex(({ durationMs }) => durationMs >= request.durationMs);
    this.#slowest.splice(at === -1 ? length : at, 0, request);
    return length === MAX_SLOWEST ? this.#slowest.shift() : undefined;
  }

  /** Each of the other calls is kept with the same probability. */
  #sample(request: LoggedRequest | undefined): void {
    if (!request) return;
    this.#others++;
    const { length } = this.#sampled;
    const place = length < MAX_SAMPLED ? length : Math.floor(Math.random() * this.#others);
    if (place < MAX_SAMPLED) this.#sampled[place] = request;
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

import { AppError } from '../platform/errors.ts';
import { KeyShares } from '../platform/key-shares.ts';
import { KeyedSemaphore, NoPermitError } from '../platform/keyed-semaphore.ts';
import type { Metrics } from '../platform/metrics.ts';
import { Budget } from './limits/budget.ts';

/** What of a key's work is limited; in `error.details.limit`. */
export type WorkLimit = 'callsInFlight' | 'items' | 'bytes' | 'databaseMs';

/** For each API key, or workspace; 0 turns a limit off. All but the first are for a second. */
export type WorkLimitSettings = Record<WorkLimit, number>;

/** What a call brings with it. */
export interface Work {
  items: number;
  bytes: number;
}

/** A call that has not begun by then is refused, so that its caller learns to slow down. */
const MAX_WAIT_MS = 10_000;
const MAX_WAITING = 1_000;
/** Calls with more items or bytes than this take turns of their own. */
const LARGE: Work = { items: 200, bytes: 256 * 1024 };
/** One is read and checked while the database works on another. */
const LARGE_AT_ONCE = 2;
/** They take long themselves, so that those behind them have to be more patient. */
const LARGE_MAX_WAIT_MS = 30_000;
/** So many calls of a key run at once while it takes more than its part of a busy process. */
const OF_GREEDY_KEY = { calls: 2, large: 1 };

/** Large calls wait in a line of their own first, and then among all calls. */
type Size = 'calls' | 'large';

/** Where a line is too long, it stays so for a while: the longer, the longer its calls take. */
const RETRY_SECONDS: Record<Size, number> = { calls: 1, large: 10 };

const WORDS = {
  callsInFlight: 'calls at once',
  items: 'items',
  bytes: 'bytes',
  databaseMs: 'time in the database',
} as const satisfies Record<WorkLimit, string>;

/**
 * Keeps what one caller asks of a process within bounds, so that others are served as before: calls
 * that run at once, of which more wait in line, and items, bytes and time in the database, which
 * are paid for as they are used. Counted in this process alone, whose work they are.
 */
export class WorkLimits {
  readonly #budgets: Array<[Exclude<WorkLimit, 'callsInFlight'>, Budget]>;
  readonly #shares = new KeyShares();
  readonly #calls: Record<Size, KeyedSemaphore> | undefined;
  readonly #waiting: Record<Size, number> = { calls: 0, large: 0 };
  readonly #metrics: Metrics;

  constructor({ callsInFlight, ...perSecond }: WorkLimitSettings, metrics: Metrics) {
    this.#budgets = (['items', 'bytes', 'databaseMs'] as const)
      .filter((limit) => perSecond[limit] > 0)
      .map((limit) => [limit, new Budget(perSecond[limit])]);
    if (callsInFlight > 0) {
      const semaphore = (size: Size, perKey: number, maxWaitMs: number) =>
        new KeyedSemaphore({
          perKey,
          perGreedyKey: Math.min(OF_GREEDY_KEY[size], perKey),
          greedyKeysRest: size === 'calls',
          isGreedy: (key) => this.#shares.isGreedy(key),
          maxWaiting: MAX_WAITING,
          maxWaitMs,
          onWaiting: (count) => this.#countWaiting(size, count),
        });
      const largeAtOnce = Math.min(LARGE_AT_ONCE, Math.max(1, callsInFlight - 1));
      this.#calls = {
        calls: semaphore('calls', callsInFlight, MAX_WAIT_MS),
        large: semaphore('large', largeAtOnce, LARGE_MAX_WAIT_MS),
      };
    }
    this.#metrics = metrics;
  }

  /** @throws RESOURCE_EXHAUSTED when the caller has spent more than comes in. */
  charge(caller: string, work: Work): void {
    for (const [limit, budget] of this.#budgets) {
      const seconds = budget.secondsInDebt(caller);
      if (seconds > 0) throw this.#refuse(limit, seconds);
    }
    for (const [limit, budget] of this.#budgets) {
      if (limit !== 'databaseMs') budget.spend(caller, work[limit]);
    }
  }

  /** Time in the database is known only afterwards. */
  chargeDatabase(caller: string, ms: number): void {
    for (const [limit, budget] of this.#budgets) {
      if (limit === 'databaseMs') budget.spend(caller, ms);
    }
  }

  /**
   * Runs a call when it is the turn of its caller. Large ones run two at a time, so that neither
   * the caller's small ones nor other callers wait for the process to read many of them.
   *
   * @throws RESOURCE_EXHAUSTED when too many of its calls wait already, or it has waited too long.
   */
  async inTurn<Result>(
    caller: string,
    { items, bytes }: Work,
    signal: AbortSignal | undefined,
    call: () => Promise<Result>,
  ): Promise<Result> {
    const whenAdmitted = () =>
      this.#holding('calls', caller, signal, () => this.#timed(caller, call));
    const isLarge = items > LARGE.items || bytes > LARGE.bytes;
    return isLarge ? this.#holding('large', caller, signal, whenAdmitted) : whenAdmitted();
  }

  async #timed<Result>(caller: string, call: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    try {
      return await call();
    } finally {
      this.#shares.add(caller, performance.now() - startedAt);
    }
  }

  #countWaiting(size: Size, count: number): void {
    this.#waiting[size] = count;
    this.#metrics.callsWaiting.set(this.#waiting.calls + this.#waiting.large);
  }

  async #holding<Result>(
    size: Size,
    caller: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (!this.#calls) return work();
    const release = await this.#calls[size].acquire(caller, signal).catch((error: unknown) => {
      if (error instanceof NoPermitError) throw this.#refuse('callsInFlight', RETRY_SECONDS[size]);
      throw new AppError('ABORTED', 'The caller went away.', { http: 499 });
    });
    try {
      return await work();
    } finally {
      release();
    }
  }

  #refuse(limit: WorkLimit, seconds: number): AppError {
    this.#metrics.callsRefused.inc({ limit });
    return new AppError('RESOURCE_EXHAUSTED', `Too many ${WORDS[limit]}. Slow down.`, {
      details: { limit },
      retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
    });
  }
}

/**
 * How many things a call is about: the elements of lists in its input. Content of live documents
 * (`data`) is one thing, and counts by its bytes.
 */
export function itemsIn(input: unknown, depth = 2): number {
  if (Array.isArray(input)) return input.length;
  if (depth === 0 || typeof input !== 'object' || input === null) return 0;
  let items = 0;
  // Entries of an object with 100,000 fields would take three times as long to make.
  for (const name in input) {
    if (name !== 'data') items += itemsIn((input as Record<string, unknown>)[name], depth - 1);
  }
  return items;
}

import { AppError } from '../../platform/errors.ts';
import { KeyShares } from '../../platform/limits/key-shares.ts';
import { KeyedSemaphore, NoPermitError } from '../../platform/limits/keyed-semaphore.ts';
import { KeyedBuckets } from '../../platform/limits/token-bucket.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';

/** The limited kinds of work, as shown in `error.details.limit`. */
type WorkLimit = 'callsInFlight' | 'items' | 'bytes' | 'databaseMs';

/** Limits for each API key or workspace; 0 disables a limit. All but `callsInFlight` are per second. */
type WorkLimitSettings = Record<WorkLimit, number>;

/** The size of a call. */
export interface Work {
  items: number;
  bytes: number;
  /** Whether the call waits for a commit that it shares with others (`OperationMeta`). */
  sharesCommit?: boolean;
  /** The user of a key who calls, or undefined for the key itself. */
  userId?: string | undefined;
}

/** How much unused budget a caller can save up, in seconds of its rate. */
const SAVED_SECONDS = 10;
/** A call that waits longer is refused, so that its caller slows down. */
const MAX_WAIT_MS = 10_000;
const MAX_WAITING = 1_000;
/** Calls with more items or bytes than this wait in a separate queue. */
const LARGE_CALL = { items: 200, bytes: 256 * 1024 };
/** One large call is parsed and validated while the database works on another. */
const MAX_LARGE_CALLS = 2;
/** Large calls take longer, so those behind them may wait longer too. */
const LARGE_MAX_WAIT_MS = 30_000;
/** Calls that wait for a shared commit hold no connection, so this many of them run in place of one other call. */
const SHARING_CALLS_PER_PERMIT = 4;
/** How many calls of a key run at once while it takes more than its share of a busy process. */
const GREEDY_KEY_PERMITS = { calls: 2, sharing: 2, large: 1, user: 1 };

/** The queues of a caller, in which its calls wait for permits (`queuesOf`). */
type QueueKind = 'calls' | 'sharing' | 'large' | 'user';

/** When to retry after a queue was full: a queue of large calls stays full for longer. */
const retrySeconds = (kind: QueueKind): number => (kind === 'large' ? 10 : 1);

/** Names in messages what a refused caller had too much of. */
const EXCESS = {
  callsInFlight: 'Too many calls at once',
  items: 'Too many items',
  bytes: 'Too many bytes',
  databaseMs: 'Too much time in the database',
} as const satisfies Record<WorkLimit, string>;

/**
 * Limits the work of each caller, so that other callers are served without delay. Calls above the limit
 * of concurrent calls wait in queues; items, bytes and database time are charged as they are used. Each
 * process counts only its own work.
 */
export class WorkLimits {
  /** Undefined for a limit that is disabled. */
  readonly #budgets: Record<Exclude<WorkLimit, 'callsInFlight'>, KeyedBuckets | undefined>;
  readonly #shares = new KeyShares();
  readonly #queues: Record<QueueKind, KeyedSemaphore> | undefined;
  readonly #metrics: Metrics;

  constructor({ callsInFlight, ...perSecond }: WorkLimitSettings, metrics: Metrics) {
    this.#budgets = {
      items: bucketsOf(perSecond.items),
      bytes: bucketsOf(perSecond.bytes),
      databaseMs: bucketsOf(perSecond.databaseMs),
    };
    if (callsInFlight > 0) {
      const semaphore = (kind: QueueKind, perKey: number, maxWaitMs: number) =>
        new KeyedSemaphore({
          perKey,
          perGreedyKey: Math.min(GREEDY_KEY_PERMITS[kind], perKey),
          // Every call of a greedy key passes exactly one of these two queues, and so rests once.
          greedyKeysRest: kind === 'calls' || kind === 'sharing',
          isGreedy: (name) => this.#shares.isGreedy(callerOf(name)),
          maxWaiting: MAX_WAITING,
          maxWaitMs,
          onWaiting: () => this.#countWaiting(),
        });
      // If there are several permits, large calls leave one for small calls.
      const maxLargeCalls = Math.min(MAX_LARGE_CALLS, Math.max(1, callsInFlight - 1));
      this.#queues = {
        calls: semaphore('calls', callsInFlight, MAX_WAIT_MS),
        sharing: semaphore('sharing', SHARING_CALLS_PER_PERMIT * callsInFlight, MAX_WAIT_MS),
        large: semaphore('large', maxLargeCalls, LARGE_MAX_WAIT_MS),
        // One user gets at most half of the key's permits, so the key's other users are served, too.
        user: semaphore('user', Math.ceil(callsInFlight / 2), MAX_WAIT_MS),
      };
    }
    this.#metrics = metrics;
  }

  /** @throws RESOURCE_EXHAUSTED when the caller has used up a budget. */
  charge(caller: string, { items, bytes }: Work): void {
    for (const limit of ['items', 'bytes', 'databaseMs'] as const) {
      const waitMs = this.#budgets[limit]?.waitMs(caller) ?? 0;
      if (waitMs > 0) throw this.#refuse(limit, waitMs / 1_000);
    }
    this.#budgets.items?.spend(caller, items);
    this.#budgets.bytes?.spend(caller, bytes);
  }

  /** Charges database time, which is known only after the call. */
  chargeDatabase(caller: string, ms: number): void {
    this.#budgets.databaseMs?.spend(caller, ms);
  }

  /**
   * Runs a call as soon as its caller has a permit. At most two large calls run at a time, so that neither
   * the caller's small calls nor other callers wait while the process parses many large ones.
   *
   * @throws RESOURCE_EXHAUSTED when too many calls of this caller are waiting, or this one has waited too long.
   */
  async withPermit<Result>(
    caller: string,
    work: Work,
    signal: AbortSignal | undefined,
    call: () => Promise<Result>,
  ): Promise<Result> {
    const releases: Array<() => void> = [];
    try {
      for (const kind of queuesOf(work)) {
        // Each user has a queue of its own. The second line of the queue's name is the user's id.
        const name = kind === 'user' ? `${caller}\n${work.userId}` : caller;
        releases.unshift(await this.#acquire(kind, name, signal));
      }
      return await this.#runTimed(caller, call);
    } finally {
      for (const release of releases) release();
    }
  }

  async #acquire(
    kind: QueueKind,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<() => void> {
    try {
      return (await this.#queues?.[kind].acquire(name, signal)) ?? (() => undefined);
    } catch (error) {
      if (error instanceof NoPermitError) throw this.#refuse('callsInFlight', retrySeconds(kind));
      throw new AppError('ABORTED', 'The caller disconnected.', { http: 499 });
    }
  }

  /** Runs a call, and adds its duration to its caller's share. */
  async #runTimed<Result>(caller: string, call: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    try {
      return await call();
    } finally {
      this.#shares.add(caller, performance.now() - startedAt);
    }
  }

  #countWaiting(): void {
    const queues = Object.values(this.#queues ?? {});
    this.#metrics.callsWaiting.set(queues.reduce((sum, { waiting }) => sum + waiting, 0));
  }

  #refuse(limit: WorkLimit, seconds: number): AppError {
    this.#metrics.callsRefused.inc({ limit });
    return new AppError('RESOURCE_EXHAUSTED', `${EXCESS[limit]}. Slow down.`, {
      details: { limit },
      retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
    });
  }
}

const bucketsOf = (perSecond: number): KeyedBuckets | undefined =>
  perSecond > 0 ? new KeyedBuckets({ perSecond, burst: SAVED_SECONDS * perSecond }) : undefined;

/** Returns the queues in which a call waits, one after the other. */
function queuesOf({ items, bytes, sharesCommit, userId }: Work): QueueKind[] {
  const isLarge = items > LARGE_CALL.items || bytes > LARGE_CALL.bytes;
  const queues: QueueKind[] = userId === undefined ? [] : ['user'];
  if (isLarge) queues.push('large');
  queues.push(sharesCommit ? 'sharing' : 'calls');
  return queues;
}

/** Returns the caller from the name that `withPermit` gave to a queue. */
const callerOf = (name: string): string => name.split('\n', 1)[0] ?? name;

/**
 * Counts the items of a call, which are the elements of the lists in its input, down to the fields of its
 * fields. The content of live documents (`data`) is left out: only its bytes count.
 */
export function itemsIn(input: unknown, depth = 2): number {
  if (Array.isArray(input)) return input.length;
  if (depth === 0 || typeof input !== 'object' || input === null) return 0;
  let items = 0;
  // `Object.entries` of an object with 100,000 fields would take three times as long.
  for (const name in input) {
    if (name !== 'data') items += itemsIn((input as Record<string, unknown>)[name], depth - 1);
  }
  return items;
}

type PermitRefusal = 'full' | 'waitedTooLong' | 'stopping';

export class NoPermitError extends Error {
  readonly refusal: PermitRefusal;

  constructor(refusal: PermitRefusal) {
    super(`No permit: ${refusal}.`);
    this.name = 'NoPermitError';
    this.refusal = refusal;
  }
}

interface SemaphoreLimits {
  /** Permits that one key may hold at a time. */
  perKey: number;
  /** Permits that a greedy key may hold at a time. Default: `perKey`. */
  perGreedyKey?: number;
  /** Whether a greedy key keeps a permit after its work, for as long as the work took, so that others get a turn. */
  greedyKeysRest?: boolean;
  /** Whether a key takes more than its share of a busy process. Default: no key is greedy. */
  isGreedy?: (key: string) => boolean;
  /** Permits that all keys may hold together. Default: unlimited. */
  total?: number;
  /** The most callers of one key that may wait. */
  maxWaiting: number;
  maxWaitMs: number;
  /** Called with the number of waiting callers whenever it changes. */
  onWaiting?: (count: number) => void;
}

interface Queue {
  key: string;
  held: number;
  /** First come, first served. */
  waiting: Set<Waiter>;
}

interface Waiter {
  admit: () => void;
  refuse: (reason: unknown) => void;
}

/** The longest rest of a greedy key. Work that takes longer mostly waits, and leaves the CPU to others. */
const MAX_REST_MS = 50;

/**
 * How long work that holds a permit may continue once the process stops. Its callers get their
 * responses before the server closes their connections (STOP_GRACE_MS in server.ts).
 */
const STOP_GRACE_MS = 4_000;

/**
 * A semaphore with permits for each key: it bounds how much slow work runs for one key at a time,
 * and how many callers wait for it. If all keys share a total, their queues take turns, so that a
 * long queue does not delay the other keys. Each process counts for itself: that protects the
 * process, and an exact count over all processes is not needed.
 */
export class KeyedSemaphore {
  readonly #limits: SemaphoreLimits;
  readonly #queues = new Map<string, Queue>();
  /** Queues with waiting callers; the one whose turn is next comes first. */
  readonly #turns = new Set<Queue>();
  #held = 0;
  /** How many callers wait for a permit. */
  waiting = 0;
  #isStopping = false;
  readonly #stopped = new AbortController();

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /** Aborted when work that still holds a permit has to end. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /**
   * Waits for a permit.
   *
   * @returns a function that releases it, to be called once
   * @throws NoPermitError, or the signal's reason if the signal is aborted first
   */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#isStopping) throw new NoPermitError('stopping');
    const queue = this.#queues.get(key) ?? { key, held: 0, waiting: new Set() };
    if (queue.waiting.size === 0 && this.#hasRoom(queue)) {
      this.#queues.set(key, queue);
      this.#grant(queue);
    } else {
      if (queue.waiting.size >= this.#limits.maxWaiting) throw new NoPermitError('full');
      this.#queues.set(key, queue);
      const turn = this.#wait(queue, signal);
      this.#admit();
      await turn;
    }
    const takenAt = performance.now();
    return () => this.#releaseOrRest(queue, performance.now() - takenAt);
  }

  /** Refuses waiting callers, and aborts `stopped` after a grace period. */
  stop(): void {
    this.#isStopping = true;
    for (const { waiting } of [...this.#turns]) {
      for (const { refuse } of [...waiting]) refuse(new NoPermitError('stopping'));
    }
    setTimeout(() => this.#stopped.abort(), STOP_GRACE_MS).unref();
  }

  #hasRoom(queue: Queue): boolean {
    const { perKey, perGreedyKey = perKey, total = Number.POSITIVE_INFINITY } = this.#limits;
    if (queue.held >= perKey || this.#held >= total) return false;
    return queue.held < perGreedyKey || !this.#isGreedy(queue);
  }

  #isGreedy({ key }: Queue): boolean {
    return this.#limits.isGreedy?.(key) ?? false;
  }

  #grant(queue: Queue): void {
    queue.held += 1;
    this.#held += 1;
  }

  /** Resolves once a permit has been handed over. */
  #wait(queue: Queue, signal: AbortSignal | undefined): Promise<void> {
    const { waiting } = queue;
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        waiting.delete(waiter);
        if (waiting.size === 0) this.#turns.delete(queue);
        this.#forgetIdle(queue);
        this.#countWaiting(-1);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        admit: () => {
          leaveQueue();
          resolve();
        },
        refuse: (reason) => {
          leaveQueue();
          reject(reason);
        },
      };
      const abort = () => waiter.refuse(signal?.reason);
      const timer = setTimeout(
        () => waiter.refuse(new NoPermitError('waitedTooLong')),
        this.#limits.maxWaitMs,
      );
      waiting.add(waiter);
      this.#turns.add(queue);
      this.#countWaiting(1);
      signal?.addEventListener('abort', abort);
    });
  }

  #countWaiting(change: 1 | -1): void {
    this.waiting += change;
    this.#limits.onWaiting?.(this.waiting);
  }

  #releaseOrRest(queue: Queue, heldMs: number): void {
    if (this.#limits.greedyKeysRest && this.#isGreedy(queue)) {
      setTimeout(() => this.#release(queue), Math.min(heldMs, MAX_REST_MS)).unref();
    } else this.#release(queue);
  }

  #release(queue: Queue): void {
    queue.held -= 1;
    this.#held -= 1;
    this.#forgetIdle(queue);
    this.#admit();
  }

  /** Admits callers while there is room. A served queue moves behind the others, where the loop meets it again. */
  #admit(): void {
    for (const queue of this.#turns) {
      const [first] = queue.waiting;
      if (!first || !this.#hasRoom(queue)) continue;
      this.#turns.delete(queue);
      this.#turns.add(queue);
      this.#grant(queue);
      first.admit();
    }
  }

  #forgetIdle({ key, held, waiting }: Queue): void {
    if (held === 0 && waiting.size === 0) this.#queues.delete(key);
  }
}

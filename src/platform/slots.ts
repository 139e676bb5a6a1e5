/** Why nobody got a slot: too many wait already, the wait took too long, or the process stops. */
export type SlotRefusal = 'full' | 'waitedTooLong' | 'stopping';

export class NoSlotError extends Error {
  readonly refusal: SlotRefusal;

  constructor(refusal: SlotRefusal) {
    super(`No slot: ${refusal}.`);
    this.name = 'NoSlotError';
    this.refusal = refusal;
  }
}

interface SlotLimits {
  /** Slots that one name has at a time. */
  perName: number;
  /** How many of one name may wait, and for how long. */
  maxWaiting: number;
  maxWaitMs: number;
  /** Told how many wait, whenever that changes. */
  onWaiting?: (count: number) => void;
}

interface Line {
  held: number;
  /** First come, first served. */
  waiting: Set<() => void>;
}

/** How long work that holds a slot may go on once the process stops. */
const STOP_GRACE_MS = 5_000;

/**
 * Lets so many at a time do something slow for one name; the others wait in line, within bounds.
 * Counted in this process alone: it shields the process and smooths what one customer asks of
 * others, for which the count need not be exact over several processes.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #lines = new Map<string, Line>();
  #waiting = 0;
  readonly #stopping = new AbortController();
  readonly #stopped = new AbortController();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Fires when work that still holds a slot has to end. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /**
   * Waits for a slot.
   *
   * @returns what gives it back, to be called once.
   * @throws NoSlotError, or the reason of `signal` when that fires first.
   */
  async acquire(name: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#stopping.signal.aborted) throw new NoSlotError('stopping');
    const line = this.#lines.get(name) ?? { held: 0, waiting: new Set() };
    this.#lines.set(name, line);
    if (line.held < this.#limits.perName) line.held += 1;
    else if (line.waiting.size < this.#limits.maxWaiting) await this.#wait(line, signal);
    else throw new NoSlotError('full');
    return () => this.#release(name, line);
  }

  /** Sends away who waits, and after a moment ends what still runs. */
  stop(): void {
    this.#stopping.abort();
    setTimeout(() => this.#stopped.abort(), STOP_GRACE_MS).unref();
  }

  /** Resolves when a slot was handed over. */
  #wait({ waiting }: Line, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (refusal: SlotRefusal) => () => end(() => reject(new NoSlotError(refusal)));
      const tooLong = setTimeout(refuse('waitedTooLong'), this.#limits.maxWaitMs);
      const stop = refuse('stopping');
      const leave = () => end(() => reject(signal?.reason));
      const enter = () => end(resolve);
      const end = (settle: () => void) => {
        waiting.delete(enter);
        this.#countWaiting(-1);
        clearTimeout(tooLong);
        signal?.removeEventListener('abort', leave);
        this.#stopping.signal.removeEventListener('abort', stop);
        settle();
      };
      waiting.add(enter);
      this.#countWaiting(1);
      signal?.addEventListener('abort', leave);
      this.#stopping.signal.addEventListener('abort', stop);
    });
  }

  #countWaiting(change: 1 | -1): void {
    this.#waiting += change;
    this.#limits.onWaiting?.(this.#waiting);
  }

  #release(name: string, line: Line): void {
    const [next] = line.waiting;
    if (next) {
      next();
      return;
    }
    line.held -= 1;
    if (line.held === 0) this.#lines.delete(name);
  }
}

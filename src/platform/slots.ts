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
  /** Slots that all names have together; without it there are as many as names ask for. */
  total?: number;
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
 * Where all names share a total, lines take turns, so that a long line holds up nobody in another.
 * Counted in this process alone: it shields the process and smooths what one customer asks of
 * others, for which the count need not be exact over several processes.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #lines = new Map<string, Line>();
  /** Lines in which somebody waits; the one whose turn is next comes first. */
  readonly #turns = new Set<Line>();
  #held = 0;
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
    if (line.waiting.size === 0 && this.#hasRoom(line)) {
      this.#lines.set(name, line);
      this.#take(line);
    } else {
      if (line.waiting.size >= this.#limits.maxWaiting) throw new NoSlotError('full');
      this.#lines.set(name, line);
      await this.#wait(name, line, signal);
    }
    return () => this.#release(name, line);
  }

  /** Sends away who waits, and after a moment ends what still runs. */
  stop(): void {
    this.#stopping.abort();
    setTimeout(() => this.#stopped.abort(), STOP_GRACE_MS).unref();
  }

  #hasRoom({ held }: Line): boolean {
    const { perName, total = Number.POSITIVE_INFINITY } = this.#limits;
    return held < perName && this.#held < total;
  }

  #take(line: Line): void {
    line.held += 1;
    this.#held += 1;
  }

  /** Resolves when a slot was handed over. */
  #wait(name: string, line: Line, signal: AbortSignal | undefined): Promise<void> {
    const { waiting } = line;
    return new Promise((resolve, reject) => {
      const refuse = (refusal: SlotRefusal) => () => end(() => reject(new NoSlotError(refusal)));
      const tooLong = setTimeout(refuse('waitedTooLong'), this.#limits.maxWaitMs);
      const stop = refuse('stopping');
      const leave = () => end(() => reject(signal?.reason));
      const enter = () => end(resolve);
      const end = (settle: () => void) => {
        waiting.delete(enter);
        if (waiting.size === 0) this.#turns.delete(line);
        this.#forgetIdle(name, line);
        this.#countWaiting(-1);
        clearTimeout(tooLong);
        signal?.removeEventListener('abort', leave);
        this.#stopping.signal.removeEventListener('abort', stop);
        settle();
      };
      waiting.add(enter);
      this.#turns.add(line);
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
    line.held -= 1;
    this.#held -= 1;
    this.#forgetIdle(name, line);
    for (const next of this.#turns) {
      const [enter] = next.waiting;
      if (!enter || !this.#hasRoom(next)) continue;
      this.#turns.delete(next);
      this.#turns.add(next);
      this.#take(next);
      enter();
      return;
    }
  }

  #forgetIdle(name: string, { held, waiting }: Line): void {
    if (held === 0 && waiting.size === 0) this.#lines.delete(name);
  }
}

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
  /** The same while other names have been at work within the last second; without it `perName`. */
  perNameAmongOthers?: number;
  /** Whether a slot then rests as long as it was held, so that there is time left for the others. */
  restsAmongOthers?: boolean;
  /** Slots that all names have together; without it there are as many as names ask for. */
  total?: number;
  /** How many of one name may wait, and for how long. */
  maxWaiting: number;
  maxWaitMs: number;
  /** Told how many wait, whenever that changes. */
  onWaiting?: (count: number) => void;
}

interface Line {
  name: string;
  held: number;
  /** First come, first served. */
  waiting: Set<() => void>;
}

/** When a name last came for a slot, or gave one back. */
interface Visit {
  name: string;
  at: number;
}

/** For how long others leave room for a name after its last visit. */
const RECENT_MS = 1_000;
const NEVER: Visit = { name: '', at: Number.NEGATIVE_INFINITY };

/** However long it was held: what takes longer waits for something else than the processor. */
const MAX_REST_MS = 50;

/** How long work that holds a slot may go on once the process stops. */
const STOP_GRACE_MS = 5_000;

/**
 * Lets so many at a time do something slow for one name; the others wait in line, within bounds.
 * Where all names share a total, lines take turns, so that a long line holds up nobody in another.
 * A name may have more slots while it is alone than among others, with whom it shares the processor.
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
  #latest = NEVER;
  /** Of the name that came before the latest one. */
  #latestOther = NEVER;
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
    this.#visit(name);
    const line = this.#lines.get(name) ?? { name, held: 0, waiting: new Set() };
    if (line.waiting.size === 0 && this.#hasRoom(line)) {
      this.#lines.set(name, line);
      this.#take(line);
    } else {
      if (line.waiting.size >= this.#limits.maxWaiting) throw new NoSlotError('full');
      this.#lines.set(name, line);
      const turn = this.#wait(line, signal);
      this.#admit();
      await turn;
    }
    const takenAt = performance.now();
    return () => this.#rest(line, performance.now() - takenAt);
  }

  /** Sends away who waits, and after a moment ends what still runs. */
  stop(): void {
    this.#stopping.abort();
    setTimeout(() => this.#stopped.abort(), STOP_GRACE_MS).unref();
  }

  #visit(name: string): void {
    if (this.#latest.name !== name) this.#latestOther = this.#latest;
    this.#latest = { name, at: performance.now() };
  }

  #hasRoom(line: Line): boolean {
    const {
      perName,
      perNameAmongOthers = perName,
      total = Number.POSITIVE_INFINITY,
    } = this.#limits;
    if (line.held >= perName || this.#held >= total) return false;
    return line.held < perNameAmongOthers || this.#isAlone(line);
  }

  #isAlone({ name, held }: Line): boolean {
    if (held < this.#held) return false;
    const { at } = this.#latest.name === name ? this.#latestOther : this.#latest;
    return performance.now() - at > RECENT_MS;
  }

  #take(line: Line): void {
    line.held += 1;
    this.#held += 1;
  }

  /** Resolves when a slot was handed over. */
  #wait(line: Line, signal: AbortSignal | undefined): Promise<void> {
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
        this.#forgetIdle(line);
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

  #rest(line: Line, heldMs: number): void {
    if (!this.#limits.restsAmongOthers || this.#isAlone(line)) this.#release(line);
    else setTimeout(() => this.#release(line), Math.min(heldMs, MAX_REST_MS)).unref();
  }

  #release(line: Line): void {
    line.held -= 1;
    this.#held -= 1;
    this.#visit(line.name);
    this.#forgetIdle(line);
    this.#admit();
  }

  /** A line that was served goes behind the others, and comes up again while there is room. */
  #admit(): void {
    for (const line of this.#turns) {
      const [enter] = line.waiting;
      if (!enter || !this.#hasRoom(line)) continue;
      this.#turns.delete(line);
      this.#turns.add(line);
      this.#take(line);
      enter();
    }
  }

  #forgetIdle({ name, held, waiting }: Line): void {
    if (held === 0 && waiting.size === 0) this.#lines.delete(name);
  }
}

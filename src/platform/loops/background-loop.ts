import type { Logger } from '../logging.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { outsideOfTraces } from '../tracing/tracing.ts';

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 1_000;
/** The longest delay that Node accepts for a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export interface LoopDependencies {
  log: Logger;
  metrics: Pick<Metrics, 'loopSeconds'>;
}

interface LoopOptions {
  /** Labels the loop's metric, and names the loop in its warnings. */
  name: string;
  /**
   * Makes one pass over the work. Returns true if another pass should follow at once. An error is
   * logged, and the pass is tried again.
   */
  run(signal: AbortSignal): Promise<unknown>;
  /** The warning to log when a pass fails. */
  failure: string;
  /** The longest time between two passes. If absent, a pass begins only when the loop is woken. */
  everyMs?: number;
  /** The shortest pause between two passes; wake-ups during it lead to one pass. A function is called after each pass. */
  pauseMs?: number | (() => number);
}

/**
 * Runs one pass after another, never two at a time: when it is woken, at an interval, and after a
 * failure, with growing delays. If the loop is woken during a pass, it makes another pass afterwards.
 */
export class BackgroundLoop {
  readonly #deps: LoopDependencies;
  readonly #options: LoopOptions;
  readonly #stopping = new AbortController();
  #isStarted = false;
  #passes: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the next pass is due, by `performance.now()`. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** The time before which no pass may begin, even if one is due. */
  #notBefore = 0;
  #retryMs = FIRST_RETRY_MS;

  constructor(deps: LoopDependencies, options: LoopOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Lets passes begin: the first one after the interval, or at once if the loop was woken before this call. */
  start(): void {
    this.#isStarted = true;
    this.wake(this.#options.everyMs ?? Number.POSITIVE_INFINITY);
    this.#schedule();
  }

  /** Asks for a new pass, at once or after a delay. */
  wake(delayMs = 0): void {
    const at = performance.now() + delayMs;
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    this.#schedule();
  }

  /** Resolves when no pass is in progress. */
  async idle(): Promise<void> {
    await this.#passes;
  }

  /** Begins no more passes, and waits for the one in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#passes;
  }

  #schedule(): void {
    if (!this.#isStarted || this.#stopping.signal.aborted || this.#passes) return;
    clearTimeout(this.#timer);
    const waitMs = this.#nextAt() - performance.now();
    if (waitMs <= 0) this.#begin();
    else if (waitMs !== Number.POSITIVE_INFINITY) {
      const delayMs = Math.min(Math.ceil(waitMs), MAX_DELAY_MS);
      this.#timer = setTimeout(() => this.#schedule(), delayMs);
    }
  }

  #begin(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    // `#passes` is set before the first pass runs, because that pass may wake its own loop at once.
    this.#passes = promise;
    outsideOfTraces(() => void this.#runWhileDue().then(resolve));
  }

  async #runWhileDue(): Promise<void> {
    const { everyMs = Number.POSITIVE_INFINITY } = this.#options;
    while (!this.#stopping.signal.aborted && this.#nextAt() <= performance.now()) {
      // `#dueAt` is reset before the pass, so that a wake-up during the pass leads to another pass.
      this.#dueAt = performance.now() + everyMs;
      await this.#pass();
    }
    // `#passes` is cleared in the same turn in which `#dueAt` was last checked, so no wake-up is lost.
    this.#passes = undefined;
    this.#schedule();
  }

  async #pass(): Promise<void> {
    const { name, run, failure, pauseMs = 0 } = this.#options;
    const endTimer = this.#deps.metrics.loopSeconds.startTimer({ loop: name });
    try {
      const hasMore = await run(this.#stopping.signal);
      endTimer({ outcome: 'done' });
      this.#notBefore = performance.now() + (typeof pauseMs === 'number' ? pauseMs : pauseMs());
      this.#retryMs = FIRST_RETRY_MS;
      if (hasMore === true) this.wake();
    } catch (error) {
      endTimer({ outcome: 'failed' });
      this.#notBefore = performance.now() + this.#retryMs;
      this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
      this.wake();
      this.#deps.log.warn({ err: error, loop: name }, failure);
    }
  }

  #nextAt(): number {
    return Math.max(this.#dueAt, this.#notBefore);
  }
}

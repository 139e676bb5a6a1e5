/** How long unused work continues. A removed component often comes back at once. */
const LINGER_MS = 1_000;

interface Run {
  value: unknown;
  useCount: number;
  controller: AbortController;
  stopTimer?: ReturnType<typeof setTimeout>;
}

/** Runs work that several parts of a page share, such as a subscription, only once. */
export class SharedRuns {
  readonly #runs = new Map<unknown, Run>();

  /**
   * Calls `start`, unless the work with this key is already running. The signal fires a second after all callers have
   * released the work.
   *
   * @returns the result of `start`, and a function that releases the work
   */
  use<Value>(
    key: unknown,
    start: (signal: AbortSignal) => Value,
  ): { value: Value; release: () => void } {
    const run = this.#runs.get(key) ?? this.#start(key, start);
    run.useCount++;
    clearTimeout(run.stopTimer);
    const release = () => {
      if (--run.useCount > 0) return;
      run.stopTimer = setTimeout(() => {
        this.#runs.delete(key);
        run.controller.abort();
      }, LINGER_MS);
    };
    return { value: run.value as Value, release };
  }

  #start(key: unknown, start: (signal: AbortSignal) => unknown): Run {
    const controller = new AbortController();
    const run: Run = { value: start(controller.signal), useCount: 0, controller };
    this.#runs.set(key, run);
    return run;
  }
}

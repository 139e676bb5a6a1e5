/** Unused work continues briefly, since a removed component often comes back at once. */
const KEPT_MS = 1_000;

interface Run {
  value: unknown;
  useCount: number;
  stop: AbortController;
  ending?: ReturnType<typeof setTimeout>;
}

/** Work that several parts of a page share and that must run once, such as a subscription. */
export class SharedRuns {
  readonly #runs = new Map<unknown, Run>();

  /**
   * Calls `start` unless its work runs already. The signal fires a second after the last use has ended.
   *
   * @param key stands for the work
   * @returns the result of `start`, and a function that ends this use
   */
  use<Value>(
    key: unknown,
    start: (signal: AbortSignal) => Value,
  ): { value: Value; end: () => void } {
    const run = this.#runs.get(key) ?? this.#start(key, start);
    run.useCount++;
    clearTimeout(run.ending);
    const end = () => {
      if (--run.useCount > 0) return;
      run.ending = setTimeout(() => {
        this.#runs.delete(key);
        run.stop.abort();
      }, KEPT_MS);
    };
    return { value: run.value as Value, end };
  }

  #start(key: unknown, start: (signal: AbortSignal) => unknown): Run {
    const stop = new AbortController();
    const run: Run = { value: start(stop.signal), useCount: 0, stop };
    this.#runs.set(key, run);
    return run;
  }
}

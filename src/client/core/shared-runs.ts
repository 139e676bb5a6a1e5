/** After the last user left, since a part of a page that goes away often comes back at once. */
const KEPT_MS = 1_000;

interface Run {
  users: number;
  stop: AbortController;
  ending?: ReturnType<typeof setTimeout>;
}

/** Work that several components share and that must run once, such as a subscription. */
export class SharedRuns {
  readonly #runs = new Map<string, Run>();

  /**
   * Starts `run` unless it runs already. Its signal fires a second after the last user has left.
   *
   * @returns the function by which this user leaves
   */
  use(name: string, run: (signal: AbortSignal) => Promise<void>): () => void {
    const shared = this.#runs.get(name) ?? this.#start(name, run);
    shared.users++;
    clearTimeout(shared.ending);
    return () => {
      if (--shared.users > 0) return;
      shared.ending = setTimeout(() => {
        this.#runs.delete(name);
        shared.stop.abort();
      }, KEPT_MS);
    };
  }

  #start(name: string, run: (signal: AbortSignal) => Promise<void>): Run {
    const shared: Run = { users: 0, stop: new AbortController() };
    this.#runs.set(name, shared);
    void run(shared.stop.signal);
    return shared;
  }
}

/** Limits how many callers run at once. The others wait in the order of their calls. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves when the caller may run, or when the signal fires. @returns a function to call when the caller is done */
  acquire(signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve) => {
      const begin = () => resolve(() => this.#release());
      if (this.#free > 0) {
        this.#free--;
        begin();
        return;
      }
      this.#waiting.add(begin);
      const leave = () => this.#waiting.delete(begin) && resolve(() => {});
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

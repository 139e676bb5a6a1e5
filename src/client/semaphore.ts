/** Lets a number of things run at once. More wait, in their order, until one of them has ended. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Resolves when it is the caller's turn, or when the signal fires. @returns what ends the turn */
  acquire(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve) => {
      const begin = () => resolve(() => this.#end());
      if (this.#free > 0) {
        this.#free--;
        begin();
        return;
      }
      this.#waiting.add(begin);
      const leave = () => this.#waiting.delete(begin) && resolve(() => {});
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #end(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

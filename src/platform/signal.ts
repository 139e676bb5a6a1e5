/** One part of a process tells another that there is something to do. Nothing depends on it alone. */
export class Signal {
  readonly #listeners = new Set<() => void>();

  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The functions to call when something changes. */
export class Listeners extends Set<() => void> {
  /** @returns a function that removes the listener */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.add(listener);
    return () => void this.delete(listener);
  };

  readonly notify = (): void => {
    for (const listener of this) listener();
  };
}

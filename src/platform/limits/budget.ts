/** The most that a name can save up, in seconds of its rate. */
const SAVED_SECONDS = 10;
/** Above this number, names without debt are removed. */
const MANY_NAMES = 10_000;

/**
 * A token bucket for each name, which refills at a fixed rate and holds ten seconds of it. A single
 * expense may exceed the balance, so that work of any size is possible; until the debt is paid off,
 * nothing more may be spent.
 */
export class Budget {
  readonly #perSecond: number;
  readonly #now: () => number;
  /** The time at which each name will have no debt, in seconds. */
  readonly #evenAt = new Map<string, number>();
  #forgetOver = MANY_NAMES;

  constructor(perSecond: number, now = () => performance.now() / 1000) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Returns the seconds until the balance is positive; 0 if it is. */
  secondsInDebt(name: string): number {
    const evenAt = this.#evenAt.get(name);
    return evenAt === undefined ? 0 : Math.max(0, evenAt - this.#now() - SAVED_SECONDS);
  }

  spend(name: string, amount: number): void {
    const now = this.#now();
    const evenAt = Math.max(now, this.#evenAt.get(name) ?? now) + amount / this.#perSecond;
    this.#evenAt.set(name, evenAt);
    if (this.#evenAt.size > this.#forgetOver) this.#forgetEven(now);
  }

  #forgetEven(now: number): void {
    for (const [name, evenAt] of this.#evenAt) if (evenAt <= now) this.#evenAt.delete(name);
    this.#forgetOver = Math.max(MANY_NAMES, 2 * this.#evenAt.size);
  }
}

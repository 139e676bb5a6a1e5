/** What may be spent at once, after a pause, in seconds of what comes in. */
const SAVED_SECONDS = 10;
/** Over it, names that have nothing to make up for are forgotten. */
const MANY_NAMES = 10_000;

/**
 * So much a second for each name, saved up for ten seconds. What is spent at once may be more than
 * there is: then nothing more goes until it is made up for. So work of every size is possible.
 */
export class Budget {
  readonly #perSecond: number;
  readonly #now: () => number;
  /** When all that was spent will have come in again, in seconds. */
  readonly #evenAt = new Map<string, number>();
  #forgetOver = MANY_NAMES;

  constructor(perSecond: number, now = () => performance.now() / 1000) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** How long until something is there again; 0 when something is. */
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

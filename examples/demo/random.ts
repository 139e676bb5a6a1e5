/** Random numbers that are the same in every run (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a number of at least 0 and less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns a whole number of at least 0 and less than the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** Returns `count` different items, in the given order. */
  some<Item>(items: readonly Item[], count: number): Item[] {
    const rest = [...items];
    while (rest.length > count) rest.splice(this.below(rest.length), 1);
    return rest;
  }

  /** Replaces each `{slot}` of a template with one of its values. */
  fill(template: string, slots: Record<string, readonly string[]>): string {
    return template.replace(/\{(\w+)\}/g, (whole, name) => {
      const values = slots[name];
      return values ? this.pick(values) : whole;
    });
  }
}

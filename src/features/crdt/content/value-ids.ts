import type { JsonObject, JsonValue } from './json.ts';

/**
 * Gives numbers to JSON values: two values have the same number exactly when they are equal, whatever
 * the order of their keys. The number of an object or array is derived from those of its children and
 * cached, so that all comparisons of two trees together take one pass over them. The values must not
 * change in the meantime.
 */
export class ValueIds {
  readonly #scalars = new Map<null | boolean | number | string, number>();
  readonly #containers = new Map<string, number>();
  readonly #seen = new Map<object, number>();

  idOf(value: JsonValue): number {
    if (typeof value !== 'object' || value === null) return this.#idFor(this.#scalars, value);
    const seen = this.#seen.get(value);
    if (seen !== undefined) return seen;
    const id = this.#idFor(this.#containers, this.#keyOf(value));
    this.#seen.set(value, id);
    return id;
  }

  areEqual(one: JsonValue, other: JsonValue): boolean {
    // Comparing long texts is faster than numbering them.
    if (typeof one === 'string' || typeof other === 'string') return one === other;
    return this.idOf(one) === this.idOf(other);
  }

  #keyOf(container: JsonValue[] | JsonObject): string {
    if (Array.isArray(container)) return `[${container.map((item) => this.idOf(item)).join()}]`;
    const fields = Object.entries(container).map(
      ([key, value]) => `${JSON.stringify(key)}:${this.idOf(value)}`,
    );
    return `{${fields.sort().join()}}`;
  }

  #idFor<Key>(numbers: Map<Key, number>, key: Key): number {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const id = this.#scalars.size + this.#containers.size;
    numbers.set(key, id);
    return id;
  }
}

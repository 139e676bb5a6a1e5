import { diffSequences } from './diff-sequences.ts';
import type { Hunk } from './hunk.ts';
import { isJsonObject, type JsonValue, ownValue } from './json.ts';
import type { ValueIds } from './value-ids.ts';
import type { WorkBudget } from './work-budget.ts';

/** The state that all comparisons of one replacement share. */
export interface Comparison {
  ids: ValueIds;
  budget: WorkBudget;
}

/**
 * Compares two arrays and returns the hunks in which they differ. Two elements match when they are
 * equal, or when they are objects with the same `id` and neither array repeats that `id`.
 *
 * Bound: O(n log n) for n elements, and the steps of the budget.
 */
export function alignElements(
  before: JsonValue[],
  after: JsonValue[],
  { ids, budget }: Comparison,
): Hunk[] {
  return diffSequences(...tokensOf(before, after, ids, identityOf), budget);
}

/**
 * Assigns equal tokens to values that are equal, or that have the same identity, if neither array
 * repeats it.
 */
export function tokensOf<Value extends JsonValue>(
  before: readonly Value[],
  after: readonly Value[],
  ids: ValueIds,
  identify: (value: Value) => string | undefined,
): [Int32Array, Int32Array] {
  const numbers = new Map<string | number, number>();
  const repeated = new Set(
    [before, after].flatMap((values) => repeatedAmong(values.map(identify))),
  );
  const tokenOf = (value: Value): number => {
    const identity = identify(value);
    const isKnownById = identity !== undefined && !repeated.has(identity);
    const key = isKnownById ? identity : ids.of(value);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  return [Int32Array.from(before, tokenOf), Int32Array.from(after, tokenOf)];
}

/** Returns the own `id` of an object, prefixed with its type; undefined for a value without one. */
export function identityOf(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = ownValue(value, 'id');
  return typeof id === 'string' || typeof id === 'number' ? `${typeof id}:${id}` : undefined;
}

function repeatedAmong(identities: Array<string | undefined>): Array<string | undefined> {
  const seen = new Set<string | undefined>();
  return identities.filter((identity) => seen.size === seen.add(identity).size);
}

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
  const numbers = new Map<string | number, number>();
  const repeated = new Set([before, after].flatMap(repeatedIdentities));
  const tokenOf = (value: JsonValue): number => {
    const identity = identityOf(value);
    const isKnownById = identity !== undefined && !repeated.has(identity);
    return numberOf(numbers, isKnownById ? identity : ids.of(value));
  };
  return diffSequences(Int32Array.from(before, tokenOf), Int32Array.from(after, tokenOf), budget);
}

/** Returns the own `id` of an object, prefixed with its type; undefined for a value without one. */
export function identityOf(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = ownValue(value, 'id');
  return typeof id === 'string' || typeof id === 'number' ? `${typeof id}:${id}` : undefined;
}

/** Returns the identities that occur more than once. */
function repeatedIdentities(values: JsonValue[]): string[] {
  const seen = new Set<string>();
  const repeated: string[] = [];
  for (const value of values) {
    const identity = identityOf(value);
    if (identity === undefined) continue;
    if (seen.has(identity)) repeated.push(identity);
    seen.add(identity);
  }
  return repeated;
}

function numberOf(numbers: Map<string | number, number>, key: string | number): number {
  const known = numbers.get(key) ?? numbers.size;
  numbers.set(key, known);
  return known;
}

import { diffSequences } from './diff-sequences.ts';
import type { Hunk } from './hunk.ts';
import { isJsonObject, type JsonValue, ownValue } from './json.ts';
import type { ValueIds } from './value-ids.ts';
import type { WorkBudget } from './work-budget.ts';

/** What one replacement knows of the values it compares, and the work it has left. */
export interface Comparison {
  ids: ValueIds;
  budget: WorkBudget;
}

/**
 * The hunks in which two arrays differ. Between them elements stand for each other: they are equal,
 * or objects with the same `id`, as long as that `id` is the only one of its kind on its side.
 *
 * Bound: O(n log n) for n elements, and the steps of the budget.
 */
export function alignElements(
  before: JsonValue[],
  after: JsonValue[],
  { ids, budget }: Comparison,
): Hunk[] {
  const numbers = new Map<string | number, number>();
  const tokens = (values: JsonValue[]) =>
    Int32Array.from(matchKeys(values, ids), (key) => numberOf(numbers, key));
  return diffSequences(tokens(before), tokens(after), budget);
}

/** The own `id` of an object, marked with its type; undefined for all that has none. */
export function identityOf(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = ownValue(value, 'id');
  return typeof id === 'string' || typeof id === 'number' ? `${typeof id}:${id}` : undefined;
}

function matchKeys(values: JsonValue[], ids: ValueIds): (string | number)[] {
  const identities = values.map(identityOf);
  const counts = new Map<string | undefined, number>();
  for (const identity of identities) counts.set(identity, (counts.get(identity) ?? 0) + 1);
  return values.map((value, index) => {
    const identity = identities[index];
    return identity !== undefined && counts.get(identity) === 1 ? identity : ids.of(value);
  });
}

function numberOf(numbers: Map<string | number, number>, key: string | number): number {
  const known = numbers.get(key) ?? numbers.size;
  numbers.set(key, known);
  return known;
}

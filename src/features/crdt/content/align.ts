import { diffSequences } from './diff/diff-sequences.ts';
import { equalAndChangedRanges, type Hunk } from './diff/hunk.ts';
import type { WorkBudget } from './diff/work-budget.ts';
import { isJsonObject, type JsonValue, ownValue } from './json.ts';
import type { ValueIds } from './value-ids.ts';

/** The state that all comparisons of one replacement share. */
export interface Comparison {
  /** Compares whole values. */
  ids: ValueIds;
  budget: WorkBudget;
}

/** A value that is kept, unchanged or changed inside: its indexes before and after the change. */
export interface Pair {
  before: number;
  after: number;
}

interface Rules<Value> {
  /** Returns what identifies a value even after its content changes; undefined if nothing does. */
  identify(value: Value): string | undefined;
  /** Returns the pairs, in order, for a hunk in which no values match. */
  pairInside(hunk: Hunk): Pair[];
}

/**
 * Returns the pairs of values that are kept from one list to the other, in order. Two values match when they
 * are equal, or when they have the same identity and neither list repeats it.
 *
 * Bound: O(n log n) for n values, and the steps of the budget.
 */
export function align<Value extends JsonValue>(
  before: readonly Value[],
  after: readonly Value[],
  { ids, budget }: Comparison,
  { identify, pairInside }: Rules<Value>,
): Pair[] {
  const repeated = new Set(
    [before, after].flatMap((values) => repeatedAmong(values.map(identify))),
  );
  const keyOf = (value: Value): string | number => {
    const identity = identify(value);
    return identity === undefined || repeated.has(identity) ? ids.idOf(value) : identity;
  };
  const hunks = diffSequences(before.map(keyOf), after.map(keyOf), budget);
  return [...equalAndChangedRanges(hunks, before.length)].flatMap((range) =>
    range.isEqual ? pairsOf(range) : pairInside(range),
  );
}

function repeatedAmong(identities: Array<string | undefined>): Array<string | undefined> {
  return Map.groupBy(identities, (identity) => identity)
    .entries()
    .filter(([, same]) => same.length > 1)
    .map(([identity]) => identity)
    .toArray();
}

/** Pairs the values of a range one by one. */
export const pairsOf = ({ aFrom, aTo, bFrom }: Hunk): Pair[] =>
  Array.from({ length: aTo - aFrom }, (_, at) => ({ before: aFrom + at, after: bFrom + at }));

/**
 * Pairs the values of a hunk one by one if as many were removed as added: then most likely each of them
 * was only changed.
 */
export const pairsOfEqualCounts = (hunk: Hunk): Pair[] =>
  hunk.aTo - hunk.aFrom === hunk.bTo - hunk.bFrom ? pairsOf(hunk) : [];

/** A step from one list to the other: the change before the next kept value, or at the end. */
export interface Step<Value> {
  /** The index, before the change, of the first removed value, or else of the next one. */
  index: number;
  removed: readonly Value[];
  added: readonly Value[];
  /** The kept value before and after the change, perhaps changed inside; undefined at the end. */
  kept: { before: Value; after: Value } | undefined;
}

/** Returns the steps from one list to the other that keep these pairs, in order. */
export function* stepsBetween<Value>(
  before: readonly Value[],
  after: readonly Value[],
  pairs: readonly Pair[],
): Generator<Step<Value>> {
  let [index, indexAfter] = [0, 0];
  for (const pair of [...pairs, { before: before.length, after: after.length }]) {
    const [old, current] = [before[pair.before], after[pair.after]];
    yield {
      index,
      removed: before.slice(index, pair.before),
      added: after.slice(indexAfter, pair.after),
      kept:
        old === undefined || current === undefined ? undefined : { before: old, after: current },
    };
    [index, indexAfter] = [pair.before + 1, pair.after + 1];
  }
}

/** Returns the own `id` of an object, prefixed with its type; undefined for a value without one. */
export function identityOf(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = ownValue(value, 'id');
  return typeof id === 'string' || typeof id === 'number' ? `${typeof id}:${id}` : undefined;
}

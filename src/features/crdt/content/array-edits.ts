import type * as Y from 'yjs';
import type { Step } from './align.ts';

interface ElementChange<Value> {
  /** The steps from the values before the change to those after it. */
  steps: Iterable<Step<Value>>;
  /** Changes an element inside. Returns false, without a change, if it must be replaced. */
  changeInside(node: unknown, before: Value, after: Value): boolean;
  /** Returns a new element. @param replaced the element that it replaces, if any */
  create(value: Value, replaced?: unknown): unknown;
}

/**
 * Changes the elements of an array.
 *
 * @param nodes the elements before the change
 */
export function changeElements<Value>(
  array: Y.Array<unknown>,
  nodes: readonly unknown[],
  { steps, changeInside, create }: ElementChange<Value>,
): void {
  const edits: ArrayEdit[] = [];
  for (const { index, removed, added, kept } of steps) {
    const next = index + removed.length;
    const insert = added.map((value) => create(value));
    if (next > index || insert.length > 0) edits.push({ from: index, to: next, insert });
    if (!kept || changeInside(nodes[next], kept.before, kept.after)) continue;
    edits.push({ from: next, to: next + 1, insert: [create(kept.after, nodes[next])] });
  }
  applyEdits(array, nodes, edits);
}

/** Replaces the elements [from, to) by `insert`. Indexes refer to the array before any edit. */
interface ArrayEdit {
  from: number;
  to: number;
  insert: unknown[];
}

/** Above this number, neighbouring edits are joined if only plain values lie between them. */
const MAX_ARRAY_EDITS = 2_000;

/** Applies edits that are given from left to right and do not overlap. Joins them first if there are too many. */
function applyEdits(
  array: Y.Array<unknown>,
  nodes: readonly unknown[],
  edits: readonly ArrayEdit[],
): void {
  let joined = joinEdits(nodes, edits, 0);
  for (let gap = 1; joined.length > MAX_ARRAY_EDITS && gap < nodes.length; gap *= 2) {
    joined = joinEdits(nodes, joined, gap);
  }
  applyRange(array, joined, 0, joined.length, 0);
}

/** Joins neighbouring edits, in place, if at most `gap` values lie between them, all of them plain. */
function joinEdits(
  nodes: readonly unknown[],
  edits: readonly ArrayEdit[],
  gap: number,
): ArrayEdit[] {
  const joined: ArrayEdit[] = [];
  for (const edit of edits) {
    const last = joined.at(-1);
    const isNear = last !== undefined && edit.from - last.to <= gap;
    const between = isNear ? nodes.slice(last.to, edit.from) : undefined;
    if (last && between?.every(isPlain)) {
      last.to = edit.to;
      for (const value of [...between, ...edit.insert]) last.insert.push(value);
    } else joined.push(edit);
  }
  return joined;
}

/** Whether Yjs stores a value as JSON. Nobody can edit inside such a value, so it may be rewritten. */
function isPlain(value: unknown): boolean {
  if (value === null) return true;
  return [String, Number, Boolean, Object, Array].some((plain) => value?.constructor === plain);
}

/**
 * Applies the edits [first, end): the middle one first, then each half in the same way. Yjs keeps
 * adjacent plain values in one item, and copies this item to split it, so applying edits from one
 * end to the other would take quadratic time. `shift` is the offset that earlier edits have added
 * to the indexes of this range.
 */
function applyRange(
  array: Y.Array<unknown>,
  edits: readonly ArrayEdit[],
  first: number,
  end: number,
  shift: number,
): void {
  const middle = (first + end) >> 1;
  const edit = edits[middle];
  if (first >= end || edit === undefined) return;
  const removed = edit.to - edit.from;
  if (removed > 0) array.delete(edit.from + shift, removed);
  if (edit.insert.length > 0) array.insert(edit.from + shift, edit.insert);
  applyRange(array, edits, middle + 1, end, shift + edit.insert.length - removed);
  applyRange(array, edits, first, middle, shift);
}

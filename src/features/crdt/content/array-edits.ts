import type * as Y from 'yjs';

interface ArrayEdit {
  from: number;
  to: number;
  insert: unknown[];
}

/** Above this number, neighbouring edits are joined if only plain values lie between them. */
const MAX_ARRAY_EDITS = 2_000;

/** Collects the edits of one array from left to right, and joins adjacent edits. */
export class ArrayEdits {
  readonly #nodes: readonly unknown[];
  readonly #edits: ArrayEdit[] = [];

  /** `nodes` are the elements before any edit. */
  constructor(nodes: readonly unknown[]) {
    this.#nodes = nodes;
  }

  /** Replaces the elements [from, to) by `insert`. Indexes refer to the array before any edit. */
  add(from: number, to: number, insert: unknown[]): void {
    const last = this.#edits.at(-1);
    if (last?.to === from) extend(last, to, insert);
    else this.#edits.push({ from, to, insert });
  }

  applyTo(array: Y.Array<unknown>): void {
    let edits = this.#edits;
    for (let gap = 1; edits.length > MAX_ARRAY_EDITS && gap < this.#nodes.length; gap *= 2) {
      edits = this.#joined(edits, gap);
    }
    applyRange(array, edits, 0, edits.length, 0);
  }

  /**
   * Joins neighbouring edits with at most `gap` values between them, if all these values are plain.
   */
  #joined(edits: readonly ArrayEdit[], gap: number): ArrayEdit[] {
    const joined: ArrayEdit[] = [];
    for (const edit of edits) {
      const last = joined.at(-1);
      const between = last && this.#nodes.slice(last.to, edit.from);
      if (last && between && between.length <= gap && between.every(isPlain)) {
        extend(last, edit.to, [...between, ...edit.insert]);
      } else joined.push(edit);
    }
    return joined;
  }
}

function extend(edit: ArrayEdit, to: number, insert: unknown[]): void {
  edit.to = to;
  for (const value of insert) edit.insert.push(value);
}

/**
 * Whether Yjs stores a value as it is. Nobody can edit inside such a value, so it may be rewritten.
 */
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

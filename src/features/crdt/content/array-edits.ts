import type * as Y from 'yjs';

interface ArrayEdit {
  from: number;
  to: number;
  insert: unknown[];
}

/** More edits than this are joined across the plain values between them, where there are such. */
const MAX_ARRAY_EDITS = 2_000;

/** Gathers edits of one array, from left to right, and makes those that touch into one. */
export class ArrayEdits {
  readonly #nodes: readonly unknown[];
  readonly #edits: ArrayEdit[] = [];

  /** `nodes` are the elements before any edit. */
  constructor(nodes: readonly unknown[]) {
    this.#nodes = nodes;
  }

  /** Puts `insert` in the place of [from, to), indexes being those before any edit. */
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

  /** Makes one edit of neighbours with at most `gap` values between them, all of them plain. */
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

/** What Yjs takes back as it gave it, and what nobody can be editing. */
function isPlain(value: unknown): boolean {
  if (value === null) return true;
  return [String, Number, Boolean, Object, Array].some((plain) => value?.constructor === plain);
}

/**
 * Applies the edits [first, end), the middle one first and then each half likewise: Yjs keeps plain
 * neighbours in one item and copies it to part it, so from end to end would be quadratic. `shift` is
 * how far the edits done so far moved what is right of them.
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

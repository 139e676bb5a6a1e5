import type * as Y from 'yjs';

interface ArrayEdit {
  from: number;
  to: number;
  insert: unknown[];
}

/** Gathers edits of one array, from left to right, and makes those that touch into one. */
export class ArrayEdits {
  readonly #edits: ArrayEdit[] = [];

  /** Puts `insert` in the place of [from, to), indexes being those before any edit. */
  add(from: number, to: number, insert: unknown[]): void {
    const last = this.#edits.at(-1);
    if (last?.to !== from) {
      this.#edits.push({ from, to, insert });
      return;
    }
    last.to = to;
    for (const value of insert) last.insert.push(value);
  }

  /**
   * Applies the edits, the middle one first and then each half likewise: Yjs keeps neighbouring
   * scalars in one item and copies them to part it, so from end to end would be quadratic.
   */
  applyTo(array: Y.Array<unknown>): void {
    this.#apply(array, 0, this.#edits.length, 0);
  }

  /** Applies the edits [first, end), `shift` being how far those done moved what is right of them. */
  #apply(array: Y.Array<unknown>, first: number, end: number, shift: number): void {
    const middle = (first + end) >> 1;
    const edit = this.#edits[middle];
    if (first >= end || edit === undefined) return;
    const removed = edit.to - edit.from;
    if (removed > 0) array.delete(edit.from + shift, removed);
    if (edit.insert.length > 0) array.insert(edit.from + shift, edit.insert);
    this.#apply(array, middle + 1, end, shift + edit.insert.length - removed);
    this.#apply(array, first, middle, shift);
  }
}

import type * as Y from 'yjs';
import { assertContent } from './check-content.ts';
import { type JsonContentType, openRoot } from './content-type.ts';
import { readContent } from './read-content.ts';
import { replaceInside } from './replace-json.ts';
import { ValueIds } from './value-ids.ts';
import { newBudget, type WorkBudget } from './work-budget.ts';

export interface JsonReplacement {
  key: string;
  type: JsonContentType;
  /** A string for `text`, an object for `map`, an array for `array`. It is not changed or retained. */
  data: unknown;
  budget?: WorkBudget | undefined;
}

/**
 * Replaces the content of the root `key` in a live document by `data`, with a minimal change in one
 * transaction, so that concurrent edits, cursors and undo managers of other users stay valid. A
 * missing root is created. Equal content begins no transaction.
 *
 * Bound: a few passes over the old and new content, O(n log n) for sorting arrays and keys, and
 * 1,000,000 steps of comparison in all. Beyond this budget, larger parts of the content are replaced.
 *
 * @returns whether anything changed
 *
 * @throws {ContentMismatch} before anything is changed: `data_type`, `too_deep` (64 levels) or
 * `too_large` (100,000 values) for `data`, `root_type` when the root is of another type.
 */
export function replaceContent(
  doc: Y.Doc,
  { key, type, data, budget = newBudget() }: JsonReplacement,
): boolean {
  assertContent(type, data);
  const before = readContent(doc, key, type);
  const ids = new ValueIds();
  if (ids.same(before, data)) return false;
  const root = openRoot(doc, key, type);
  doc.transact(() => replaceInside(root, before, data, { ids, budget }));
  return true;
}

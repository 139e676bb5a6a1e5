import type { Doc } from 'yjs';
import { assertContent } from './check-content.ts';
import { ContentMismatch, type ContentType, openRoot } from './content-type.ts';
import { newBudget } from './diff/work-budget.ts';
import { readJson } from './read-json.ts';
import { replaceInside } from './replace-json.ts';
import { ValueIds } from './value-ids.ts';
import { readXml, replaceXml } from './xml/xml-content.ts';

// Content of type `text`, `map` and `array` is JSON: see read-json.ts and replace-json.ts. Content of type `xml`
// is the rich text of editors: see xml/xml-content.ts. New content is compared with the old: texts in diff/, and
// lists in align.ts. passages/ finds quoted text in content of type `text` and `xml`.

/** The root that holds the content, its type, and for XML the names of additional marks. */
interface ContentRoot {
  key: string;
  type: ContentType;
  marks?: readonly string[] | undefined;
}

/**
 * Returns the content as callers see it. Passing the result to `replaceContent` changes nothing.
 */
export const readContent = (doc: Doc, { key, type, marks }: ContentRoot): unknown =>
  type === 'xml' ? readXml(doc, key, marks) : readJson(doc, key, type);

/**
 * Makes `data` the content, by a minimal change in one transaction, so that concurrent edits, cursors
 * and undo managers of other users stay valid. A missing root is created. If the content is already
 * equal, there is no transaction.
 *
 * Bound for JSON: a few passes over the old and new content, O(n log n) for sorting arrays and keys, and
 * the budget for all comparisons. Beyond this budget, larger parts of the content are replaced.
 *
 * @param data a string for `text` and `xml`, an object for `map`, an array for `array`. It is neither changed nor kept
 * @returns whether anything changed
 * @throws {ContentMismatch} before anything is changed: `data_type`, `too_deep` (64 levels) or
 * `too_large` (100,000 values) for `data`, `root_type` when the root is of another type.
 * @throws {TooMuchWork} when two texts differ by more than the budget allows.
 */
export function replaceContent(
  doc: Doc,
  { key, type, marks }: ContentRoot,
  data: unknown,
  budget = newBudget(),
): boolean {
  if (type === 'xml') return replaceXml(doc, { key, data: requireXml(data), marks });
  assertContent(type, data);
  const before = readJson(doc, key, type);
  const ids = new ValueIds();
  if (ids.areEqual(before, data)) return false;
  const root = openRoot(doc, key, type);
  doc.transact(() => replaceInside(root, before, data, { ids, budget }));
  return true;
}

/** @throws {ContentMismatch} when `data` is not a string. */
export function requireXml(data: unknown): string {
  if (typeof data === 'string') return data;
  throw new ContentMismatch('data_type', 'Content of type xml must be a string.');
}

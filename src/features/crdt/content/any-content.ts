import type { Doc } from 'yjs';
import { assertContent } from './check-content.ts';
import {
  ContentMismatch,
  type ContentType,
  type JsonContentType,
  openRoot,
} from './content-type.ts';
import { readContent } from './read-content.ts';
import { replaceInside } from './replace-json.ts';
import { ValueIds } from './value-ids.ts';
import { newBudget, type WorkBudget } from './work-budget.ts';
import { readXml, replaceXml } from './xml/xml-content.ts';

/** The root that holds content of any type, and for XML the names of marks. */
export interface ContentRoot {
  key: string;
  type: ContentType;
  marks?: readonly string[] | undefined;
}

/**
 * Returns the content as callers see it. Passing the result to `replaceAnyContent` changes nothing.
 */
export const readAnyContent = (doc: Doc, { key, type, marks }: ContentRoot): unknown =>
  type === 'xml' ? readXml(doc, key, marks) : readContent(doc, key, type);

/**
 * Replaces the content by `data` with a minimal change in one transaction, so that concurrent edits,
 * cursors and undo managers of other users stay valid. A missing root is created. Equal content begins
 * no transaction.
 *
 * @throws {ContentMismatch} before anything is changed.
 * @throws {TooMuchWork} for texts that differ in more than the budget allows.
 */
export function replaceAnyContent(
  doc: Doc,
  { key, type, marks }: ContentRoot,
  data: unknown,
  budget?: WorkBudget,
): void {
  if (type === 'xml') replaceXml(doc, { key, data: requireXml(data), marks });
  else replaceContent(doc, { key, type, data, budget });
}

/** @throws {ContentMismatch} when `data` is not a string. */
export function requireXml(data: unknown): string {
  if (typeof data === 'string') return data;
  throw new ContentMismatch('data_type', 'Content of type xml must be a string.');
}

interface JsonReplacement {
  key: string;
  type: JsonContentType;
  /** A string for `text`, an object for `map`, an array for `array`. It is not changed or retained. */
  data: unknown;
  budget?: WorkBudget | undefined;
}

/**
 * Replaces content that is JSON, as `replaceAnyContent` does. Bound: a few passes over the old and new
 * content, O(n log n) for sorting arrays and keys, and 1,000,000 steps of comparison in all. Beyond this
 * budget, larger parts of the content are replaced.
 *
 * @returns whether anything changed
 *
 * @throws {ContentMismatch} before anything is changed: `data_type`, `too_deep` (64 levels) or
 * `too_large` (100,000 values) for `data`, `root_type` when the root is of another type.
 */
export function replaceContent(
  doc: Doc,
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

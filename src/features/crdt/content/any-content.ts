import type { Doc } from 'yjs';
import { ContentMismatch } from './content-mismatch.ts';
import type { ContentType } from './content-type.ts';
import { readContent } from './read-content.ts';
import { replaceContent } from './replace-content.ts';
import type { WorkBudget } from './work-budget.ts';
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
 * Replaces the content by `data` with a minimal change in one transaction.
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

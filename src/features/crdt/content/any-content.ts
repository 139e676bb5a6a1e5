import type { Doc } from 'yjs';
import { ContentMismatch } from './content-mismatch.ts';
import type { ContentType } from './content-type.ts';
import { readContent } from './read-content.ts';
import { replaceContent } from './replace-content.ts';
import { readXml, replaceXml } from './xml/xml-content.ts';

/** Where content of any type lies in a document, and for XML the names that are marks. */
export interface ContentPlace {
  key: string;
  type: ContentType;
  marks?: readonly string[] | undefined;
}

/** The content in the form that callers see, which `replaceAnyContent` takes back unchanged. */
export const readAnyContent = (doc: Doc, { key, type, marks }: ContentPlace): unknown =>
  type === 'xml' ? readXml(doc, key, marks) : readContent(doc, key, type);

/**
 * Makes the content read `data`, by a minimal change in one transaction.
 *
 * @throws {ContentMismatch} before anything is changed.
 */
export function replaceAnyContent(
  doc: Doc,
  { key, type, marks }: ContentPlace,
  data: unknown,
  origin: unknown,
): boolean {
  if (type !== 'xml') return replaceContent(doc, { key, type, data, origin });
  return replaceXml(doc, { key, data: requireXml(data), marks, origin });
}

/** @throws {ContentMismatch} when it is no string. */
export function requireXml(data: unknown): string {
  if (typeof data === 'string') return data;
  throw new ContentMismatch('data_type', 'Content of type xml must be a string.');
}

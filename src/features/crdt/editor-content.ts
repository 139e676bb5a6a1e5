import type { Doc } from 'yjs';
import type { DeclaredContent } from '../../platform/live-documents.ts';
import { readContent, replaceContent } from './content/content.ts';
import type { ContentType } from './content/content-type.ts';
import type { WorkBudget } from './content/diff/work-budget.ts';
import { contentKeyOf, keyForNewContent, requireType, typeOf } from './editor-root.ts';

export interface EditorContent {
  type: ContentType;
  /** The data, as JSON. */
  json: string;
}

/** New content for a root. */
export interface Replacement {
  /** Undefined: the root that `keyForNewContent` returns. */
  key: string | undefined;
  type: ContentType;
  data: unknown;
  marks: readonly string[] | undefined;
}

/** Replaces the content of a root. @throws {ContentMismatch} before anything is changed. */
export function replaceEditorContent(
  doc: Doc,
  declared: DeclaredContent,
  { key: requestedKey, type, data, marks }: Replacement,
  budget?: WorkBudget,
): void {
  const key = requestedKey ?? keyForNewContent(doc, type, declared);
  requireType(doc, key, type, declared);
  replaceContent(doc, { key, type, marks }, data, budget);
}

/** Selects the content that a caller reads; undefined fields are inferred. */
export interface ReadOptions {
  key: string | undefined;
  type: ContentType | undefined;
  marks: readonly string[] | undefined;
}

/** Reads the content of a root. @throws {ContentMismatch} when it has another type than the requested one. */
export function readEditorContent(
  doc: Doc,
  declared: DeclaredContent,
  options: ReadOptions,
): EditorContent {
  const key = options.key ?? contentKeyOf(doc, declared);
  const type = requireType(doc, key, options.type, declared);
  const data = readContent(doc, { key, type, marks: options.marks });
  return { type, json: JSON.stringify(data) };
}

/**
 * Reads content for an event. Unreadable content becomes null, so that it does not block the events of
 * other editors.
 */
export function readEditorForEvent(doc: Doc, declared: DeclaredContent): EditorContent {
  const key = contentKeyOf(doc, declared);
  const type = typeOf(doc, key, declared);
  try {
    return { type, json: toStorable(JSON.stringify(readContent(doc, { key, type }))) };
  } catch {
    return { type, json: 'null' };
  }
}

/**
 * Matches any escape in JSON, so that `u0000` after an escaped backslash is not taken for one. Captures
 * more than one character only for NUL and lone surrogates.
 */
const ESCAPE = /\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g;

/** Replaces characters that PostgreSQL does not accept in JSON with U+FFFD. */
const toStorable = (json: string): string =>
  /\\u(0000|d[89a-f])/.test(json)
    ? json.replace(ESCAPE, (whole, escaped: string) => (escaped.length > 1 ? '\\ufffd' : whole))
    : json;

import type * as Y from 'yjs';
import { type ContentType, storedTypeOf } from './content/content-type.ts';
import { readContent } from './content/read-content.ts';

export interface EditorContent {
  type: ContentType;
  data: unknown;
}

/** Where editors usually keep their content, likeliest first. */
const USUAL_KEYS = ['content', 'default'];

/** The root that holds the content: a usual one, else the first that holds anything. */
export function contentKeyOf(doc: Y.Doc): string {
  const keys = [...doc.share.keys()].filter((key) => storedTypeOf(doc, key) !== undefined);
  return USUAL_KEYS.find((key) => keys.includes(key)) ?? keys[0] ?? 'content';
}

/**
 * The content of a document as callers see it. Yjs keeps no type for what never held anything, so
 * that is `otherwise`.
 */
export function readEditor(
  doc: Y.Doc,
  key = contentKeyOf(doc),
  otherwise: ContentType = 'text',
): EditorContent {
  const type = storedTypeOf(doc, key) ?? otherwise;
  const data = type === 'xml' ? String(doc.getXmlFragment(key)) : readContent(doc, key, type);
  return { type, data };
}

/** The content for an event: what cannot be told is null, since one editor must not stop others. */
export function readEditorForEvent(
  doc: Y.Doc,
  key = contentKeyOf(doc),
  otherwise: ContentType = 'text',
): EditorContent {
  try {
    const { type, data } = readEditor(doc, key, otherwise);
    return { type, data: toStorable(data) };
  } catch {
    return { type: storedTypeOf(doc, key) ?? otherwise, data: null };
  }
}

/** An escape for NUL or for half of a surrogate pair, or any other, which is to be left alone. */
const ESCAPE = /\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g;

/** Editors may write what PostgreSQL cannot take in JSON; it becomes U+FFFD. */
function toStorable(data: unknown): unknown {
  const json = JSON.stringify(data);
  if (!/\\u(0000|d[89a-f])/.test(json)) return data;
  return JSON.parse(
    json.replace(ESCAPE, (whole, escaped: string) => (escaped.length > 1 ? '\\ufffd' : whole)),
  );
}

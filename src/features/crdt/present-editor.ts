import type * as Y from 'yjs';
import { readAnyContent } from './content/any-content.ts';
import { ContentMismatch } from './content/content-mismatch.ts';
import { type ContentType, requireRootType, storedTypeOf } from './content/content-type.ts';

export interface EditorContent {
  type: ContentType;
  /** Its data, as JSON. */
  json: string;
}

/** Where editors usually keep their content, likeliest first. */
const USUAL_KEYS = ['content', 'default', 'prosemirror', 'document-store', 'root'];

/** What `crdt/add` said of the content: Yjs keeps no type for a root that is empty. */
export interface Declared {
  contentKey: string | null;
  contentType: ContentType | null;
}

const NOTHING_DECLARED: Declared = { contentKey: null, contentType: null };

/** The root that holds the content: a usual one, else the first that holds anything. */
export function contentKeyOf(doc: Y.Doc, declared = NOTHING_DECLARED): string {
  const keys = [...doc.share.keys()].filter((key) => storedTypeOf(doc, key) !== undefined);
  return (
    USUAL_KEYS.find((key) => keys.includes(key)) ?? keys[0] ?? declared.contentKey ?? 'content'
  );
}

/** The root of a type when nobody names one. */
export const usualKeyOf = (type: ContentType): string => (type === 'xml' ? 'default' : 'content');

/** Where content of a type goes when nobody names a root: not beside what there is already. */
export const rootFor = (doc: Y.Doc, type: ContentType, declared: Declared): string => {
  const usual = usualKeyOf(type);
  if (storedTypeOf(doc, usual) !== undefined) return usual;
  const isEmpty = ![...doc.share.keys()].some((key) => storedTypeOf(doc, key) !== undefined);
  return isEmpty && declared.contentKey === null ? usual : contentKeyOf(doc, declared);
};

/** The type of a root: what it holds decides, and when it is empty what was declared. */
const typeOf = (doc: Y.Doc, key: string, declared = NOTHING_DECLARED): ContentType =>
  storedTypeOf(doc, key) ??
  (key === declared.contentKey ? declared.contentType : undefined) ??
  'text';

/**
 * The type of a root, which is the one asked for, if one is.
 *
 * @throws {ContentMismatch} when it is another, also where the root is empty and that was declared.
 */
export function requireType(
  doc: Y.Doc,
  key: string,
  asked: ContentType | undefined,
  declared: Declared,
): ContentType {
  if (asked === undefined) return typeOf(doc, key, declared);
  requireRootType(doc, key, asked);
  const isEmpty = storedTypeOf(doc, key) === undefined;
  if (!isEmpty || key !== declared.contentKey || declared.contentType === asked) return asked;
  throw new ContentMismatch(
    'root_type',
    `The stored content is of type ${declared.contentType}, not ${asked}.`,
  );
}

/** The content of a document as callers see it. */
function readEditor(doc: Y.Doc, declared = NOTHING_DECLARED): EditorContent {
  const key = contentKeyOf(doc, declared);
  const type = typeOf(doc, key, declared);
  return { type, json: JSON.stringify(readAnyContent(doc, { key, type })) };
}

/** The content for an event: what cannot be told is null, since one editor must not stop others. */
export function readEditorForEvent(doc: Y.Doc, declared = NOTHING_DECLARED): EditorContent {
  try {
    const { type, json } = readEditor(doc, declared);
    return { type, json: toStorable(json) };
  } catch {
    return { type: typeOf(doc, contentKeyOf(doc, declared), declared), json: 'null' };
  }
}

/** An escape for NUL or for half of a surrogate pair, or any other, which is to be left alone. */
const ESCAPE = /\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g;

/** Editors may write what PostgreSQL cannot take in JSON; it becomes U+FFFD. */
const toStorable = (json: string): string =>
  /\\u(0000|d[89a-f])/.test(json)
    ? json.replace(ESCAPE, (whole, escaped: string) => (escaped.length > 1 ? '\\ufffd' : whole))
    : json;

import { Doc, type Text, type XmlFragment, XmlText } from 'yjs';
import type { DeclaredContent } from '../../platform/live-documents.ts';
import {
  ContentMismatch,
  type ContentType,
  requireRootType,
  richTextFormOf,
  storedTypeOf,
} from './content/content-type.ts';

/** The names of the roots in which editors usually keep content, the most likely first. */
const USUAL_KEYS = ['content', 'default', 'prosemirror', 'document-store', 'root'];

/**
 * Returns the name of the root that holds the content: a usual root that is not empty, or else the first
 * root that is not empty. In an empty document, it is the declared root, or else `content`.
 */
export function contentKeyOf(doc: Doc, declared: DeclaredContent): string {
  const keys = filledKeys(doc);
  return (
    USUAL_KEYS.find((key) => keys.includes(key)) ?? keys[0] ?? declared.contentKey ?? 'content'
  );
}

const filledKeys = (doc: Doc): string[] =>
  [...doc.share.keys()].filter((key) => storedTypeOf(doc, key) !== undefined);

export const defaultKeyOf = (type: ContentType): string => (type === 'xml' ? 'default' : 'content');

/**
 * Returns the name of the root for new content when the caller names none. It is the first of these
 * that has content: the default root, a usual root, the declared root, any root of this type. If none has,
 * it is the declared or the default root. Roots with other names and types hold what the editor keeps
 * beside its content, such as settings.
 */
export function keyForNewContent(doc: Doc, type: ContentType, declared: DeclaredContent): string {
  const keys = filledKeys(doc);
  const candidates = [defaultKeyOf(type), ...USUAL_KEYS, declared.contentKey];
  return (
    candidates.find((key) => key !== null && keys.includes(key)) ??
    keys.find((key) => storedTypeOf(doc, key) === type) ??
    declared.contentKey ??
    defaultKeyOf(type)
  );
}

/** Returns the type of the content in a root, or the declared type of an empty root. */
export const typeOf = (doc: Doc, key: string, declared: DeclaredContent): ContentType =>
  storedTypeOf(doc, key) ??
  (key === declared.contentKey ? declared.contentType : undefined) ??
  'text';

/**
 * Returns the type of a root, and requires that it is the requested type, if any.
 *
 * @throws {ContentMismatch} when the stored type, or the declared type of an empty root, differs.
 */
export function requireType(
  doc: Doc,
  key: string,
  requested: ContentType | undefined,
  declared: DeclaredContent,
): ContentType {
  if (requested === undefined) return typeOf(doc, key, declared);
  requireRootType(doc, key, requested);
  const isEmpty = storedTypeOf(doc, key) === undefined;
  if (!isEmpty || key !== declared.contentKey) return requested;
  if (declared.contentType === requested) return requested;
  throw new ContentMismatch(
    'root_type',
    `The stored content is of type ${declared.contentType}, not ${requested}.`,
  );
}

/**
 * Returns the shared type that holds the text or rich text of a document.
 *
 * @throws {ContentMismatch} `root_type` when the content is a map or an array.
 */
export function textRootOf(doc: Doc, declared: DeclaredContent): Text | XmlFragment {
  const key = contentKeyOf(doc, declared);
  const type = typeOf(doc, key, declared);
  if (type !== 'text' && type !== 'xml') {
    throw new ContentMismatch(
      'root_type',
      `The stored content is of type ${type}. Only content of type text or xml has passages.`,
    );
  }
  // Opening an empty root would set its type for good, so an empty text stands in for it.
  if (storedTypeOf(doc, key) === undefined) return new Doc().getText();
  if (type === 'text') return doc.getText(key);
  return richTextFormOf(doc, key) === 'text' ? doc.get(key, XmlText) : doc.getXmlFragment(key);
}

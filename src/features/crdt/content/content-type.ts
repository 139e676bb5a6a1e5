import * as Y from 'yjs';
import { ContentMismatch } from './content-mismatch.ts';

export type ContentType = 'text' | 'map' | 'array' | 'xml';

/** The types whose content is JSON; XML has a form of its own. */
export type JsonContentType = Exclude<ContentType, 'xml'>;

/**
 * The type of the root `key`, or undefined when there is none or nothing tells.
 *
 * Yjs types a root once, on the first `getText`, `getMap`…, and a document loaded from updates has
 * untyped roots: asking must not decide. So an untyped root is judged by its items; deleted ones
 * count for as long as they keep their content. Bound: one pass over the items of the root.
 */
export function storedTypeOf(doc: Y.Doc, key: string): ContentType | undefined {
  const root = doc.share.get(key);
  return root && (sharedTypeOf(root) ?? typeOfItems(root));
}

/** The type of a Yjs instance; undefined for plain JSON and for a root that nobody typed yet. */
export function sharedTypeOf(value: unknown): ContentType | undefined {
  // Before their parents: XmlText extends Text, XmlHook extends Map, XmlElement extends XmlFragment.
  if (value instanceof Y.XmlText || value instanceof Y.XmlHook) return 'xml';
  if (value instanceof Y.XmlFragment) return 'xml';
  if (value instanceof Y.Text) return 'text';
  if (value instanceof Y.Map) return 'map';
  if (value instanceof Y.Array) return 'array';
  return undefined;
}

/**
 * The root `key`, typed from now on as `type`.
 *
 * @throws {ContentMismatch} `root_type` when it holds content of another type.
 */
export function openRoot(
  doc: Y.Doc,
  key: string,
  type: JsonContentType,
): Y.Text | Y.Map<unknown> | Y.Array<unknown> {
  requireRootType(doc, key, type);
  if (type === 'text') return doc.getText(key);
  return type === 'map' ? doc.getMap(key) : doc.getArray(key);
}

/** @throws {ContentMismatch} `root_type` when the root `key` holds content of another type. */
export function requireRootType(doc: Y.Doc, key: string, type: ContentType): void {
  const stored = storedTypeOf(doc, key);
  if (stored === undefined || stored === type) return;
  throw new ContentMismatch('root_type', `The stored content is of type ${stored}, not ${type}.`);
}

/** What Yjs keeps of a root, typed or not; not public, so no other file looks at it. */
type RootItems = Pick<Y.AbstractType<unknown>, '_start' | '_map'>;

function typeOfItems(root: RootItems): ContentType | undefined {
  let likely: ContentType | undefined;
  for (let item = root._start; item !== null; item = item.right) {
    const { content } = item;
    if (isLexicalNode(content)) return 'xml';
    // An element may also be embedded in a text, so it decides only when nothing else does.
    if (content instanceof Y.ContentType) likely ??= parentTypeOf(content.type);
    else if (isTextContent(content)) return 'text';
    else if (isArrayContent(content)) return 'array';
  }
  return likely ?? (root._map.size > 0 ? 'map' : undefined);
}

/**
 * How the rich text of the root `key` is kept: in a Y.XmlFragment, or in a Y.XmlText with elements
 * embedded in it. A document loaded from updates does not tell, but Lexical's nodes name their type.
 */
export function richTextFormOf(doc: Y.Doc, key: string): 'fragment' | 'text' {
  const root = doc.share.get(key);
  if (root instanceof Y.XmlText) return 'text';
  if (root instanceof Y.XmlFragment) return 'fragment';
  if (!root || storedTypeOf(doc, key) === undefined) {
    return key === LEXICAL_KEY ? 'text' : 'fragment';
  }
  for (let item = itemsOf(root)._start; item !== null; item = item.right) {
    if (isLexicalNode(item.content)) return 'text';
  }
  return 'fragment';
}

/** Where Lexical keeps its content, unless it is told otherwise. */
const LEXICAL_KEY = 'root';

const itemsOf = (root: RootItems): RootItems => root;

/** Lexical embeds a type for each node, which names its own `__type`. */
function isLexicalNode(content: Y.Item['content']): boolean {
  if (!(content instanceof Y.ContentType)) return false;
  const type: unknown = content.type;
  if (type instanceof Y.Map) return typeof type.get('__type') === 'string';
  return (
    (type instanceof Y.XmlText || type instanceof Y.XmlElement) &&
    type.getAttribute('__type') !== undefined
  );
}

function parentTypeOf(child: unknown): ContentType {
  return sharedTypeOf(child) === 'xml' ? 'xml' : 'array';
}

function isTextContent(content: Y.Item['content']): boolean {
  return (
    content instanceof Y.ContentString ||
    content instanceof Y.ContentFormat ||
    content instanceof Y.ContentEmbed
  );
}

/** ContentDeleted, what garbage collection leaves, is neither: it tells a length and no type. */
function isArrayContent(content: Y.Item['content']): boolean {
  return (
    content instanceof Y.ContentAny ||
    content instanceof Y.ContentJSON ||
    content instanceof Y.ContentBinary ||
    content instanceof Y.ContentDoc
  );
}

import * as Y from 'yjs';

export type ContentMismatchReason = 'data_type' | 'root_type' | 'too_deep' | 'too_large';

/** Content that cannot be stored or read as requested. `message` is a sentence for the caller. */
export class ContentMismatch extends Error {
  override readonly name = 'ContentMismatch';
  readonly reason: ContentMismatchReason;

  constructor(reason: ContentMismatchReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export type ContentType = 'text' | 'map' | 'array' | 'xml';

/** The types whose content is JSON. XML has its own representation. */
export type JsonContentType = Exclude<ContentType, 'xml'>;

/**
 * Returns the type of the root `key`, or undefined when the root is missing or its type is unknown.
 *
 * The first `getText`, `getMap`… fixes the type of a root, and the roots of a document loaded from
 * updates are untyped. This function must not fix the type, so it infers it from the items of the
 * root, in one pass. Deleted items count as long as Yjs keeps their content.
 */
export function storedTypeOf(doc: Y.Doc, key: string): ContentType | undefined {
  const root = doc.share.get(key);
  return root && (sharedTypeOf(root) ?? typeOfItems(root));
}

/** Returns the type of a Yjs instance; undefined for plain JSON and for an untyped root. */
export function sharedTypeOf(value: unknown): ContentType | undefined {
  // XML types come first, since XmlText and XmlHook are subclasses of Text and Map.
  if ([Y.XmlText, Y.XmlHook, Y.XmlFragment].some((type) => value instanceof type)) return 'xml';
  if (value instanceof Y.Text) return 'text';
  if (value instanceof Y.Map) return 'map';
  if (value instanceof Y.Array) return 'array';
  return undefined;
}

/**
 * Returns the root `key` and fixes its type.
 *
 * @throws {ContentMismatch} `root_type` when the root holds content of another type.
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

/** The items of a root, which are not in the public interface of Yjs. */
type RootItems = Pick<Y.AbstractType<unknown>, '_start' | '_map'>;

function typeOfItems(root: RootItems): ContentType | undefined {
  let likely: ContentType | undefined;
  for (let item = root._start; item !== null; item = item.right) {
    const { content } = item;
    if (isLexicalNode(content)) return 'xml';
    // An element may also be embedded in a text, so later items may still decide otherwise.
    if (content instanceof Y.ContentType) {
      // A fragment may be in an array, but never in another fragment.
      const isNode = content.type.constructor !== Y.XmlFragment;
      likely ??= isNode && sharedTypeOf(content.type) === 'xml' ? 'xml' : 'array';
    } else if (TEXT_CONTENT.some((kind) => content instanceof kind)) return 'text';
    else if (ARRAY_CONTENT.some((kind) => content instanceof kind)) return 'array';
  }
  return likely ?? (root._map.size > 0 ? 'map' : undefined);
}

/**
 * Returns the shared type that stores the rich text of the root `key`: a Y.XmlFragment, or a
 * Y.XmlText with embedded elements. In a document loaded from updates the root is untyped, and
 * Lexical's nodes are recognized by their own `__type`.
 */
export function richTextFormOf(doc: Y.Doc, key: string): 'fragment' | 'text' {
  const root = doc.share.get(key);
  if (root instanceof Y.XmlText) return 'text';
  if (root instanceof Y.XmlFragment) return 'fragment';
  if (!root || storedTypeOf(doc, key) === undefined) {
    return key === LEXICAL_KEY ? 'text' : 'fragment';
  }
  for (let item = root._start; item !== null; item = item.right) {
    if (isLexicalNode(item.content)) return 'text';
  }
  return 'fragment';
}

/** The default root of Lexical. */
const LEXICAL_KEY = 'root';

/** Whether an item embeds a node of Lexical, which has a `__type`. */
function isLexicalNode(content: Y.Item['content']): boolean {
  if (!(content instanceof Y.ContentType)) return false;
  const type: unknown = content.type;
  if (type instanceof Y.Map) return typeof type.get('__type') === 'string';
  return (
    (type instanceof Y.XmlText || type instanceof Y.XmlElement) &&
    type.getAttribute('__type') !== undefined
  );
}

// Deleted content that Yjs has discarded (ContentDeleted) does not show its type.
const TEXT_CONTENT = [Y.ContentString, Y.ContentFormat, Y.ContentEmbed];
const ARRAY_CONTENT = [Y.ContentAny, Y.ContentJSON, Y.ContentBinary, Y.ContentDoc];

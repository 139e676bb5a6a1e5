import * as Y from 'yjs';
import { requireRootType, richTextFormOf, storedTypeOf } from '../content-type.ts';
import { newBudget } from '../diff/work-budget.ts';
import type { JsonValue } from '../json.ts';
import { ValueIds } from '../value-ids.ts';
import { toEmbedded } from './embedded-kinds.ts';
import { interpretXml } from './interpret-xml.ts';
import { isTag, type Markup, parseXml } from './parse-xml.ts';
import { attributesOf, hasBareText, readNodes, type XmlReading } from './read-xml.ts';
import { replaceAttributes } from './replace-attributes.ts';
import { XmlReplacement } from './replace-xml.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';
import { writeXml } from './write-xml.ts';
import type { XmlNode } from './xml-tree.ts';

/** Names that are marks in this content, in addition to those that are recognized as marks. */
type Marks = readonly string[] | undefined;

interface RootReading extends XmlReading {
  form: 'fragment' | 'text';
  vocabulary: Vocabulary;
}

/**
 * Returns the rich text of the root `key` as XML; empty when nothing is stored. The document is not
 * changed, and passing the result to `replaceXml` changes nothing.
 *
 * @throws {ContentMismatch} `root_type`, or `too_deep` beyond 1,000 levels.
 */
export function readXml(doc: Y.Doc, key: string, marks?: Marks): string {
  const { nodes, vocabulary } = readRoot(doc, key, marks);
  return writeXml(nodes, vocabulary);
}

interface XmlReplacementInput {
  key: string;
  data: string;
  marks?: Marks;
}

/**
 * Makes the XML the content of the root `key`, by a minimal change in one transaction.
 *
 * @returns whether anything changed
 * @throws {ContentMismatch} before anything is changed, for malformed XML and in the cases of `replaceContent`.
 */
export function replaceXml(doc: Y.Doc, { key, data, marks }: XmlReplacementInput): boolean {
  const markup = parseXml(data);
  const { nodes, sources, form, vocabulary } = readRoot(doc, key, marks);
  const target = targetOf(markup, { nodes, form, vocabulary });
  return replaceNodes(() => openForm(doc, key, form), { nodes, sources }, target);
}

type XmlRoot = Y.XmlFragment | Y.XmlText;

export const isXmlRoot = (value: unknown): value is XmlRoot =>
  value instanceof Y.XmlFragment || value instanceof Y.XmlText;

const openForm = (doc: Y.Doc, key: string, form: RootReading['form']): XmlRoot =>
  form === 'text' ? doc.get(key, Y.XmlText) : doc.getXmlFragment(key);

/** Opens the root `key` in the form that it has in another document. */
export const openXmlRoot = (doc: Y.Doc, key: string, like: Y.Doc): XmlRoot =>
  openForm(doc, key, richTextFormOf(like, key));

/**
 * Gives `to` the content of `from`, which is of the same class, by a minimal change.
 *
 * @returns false, without a change, for elements of different names
 */
export function copyXml(from: XmlRoot, to: XmlRoot): boolean {
  const past = readExactly(from);
  const present = readExactly(to);
  if (past.name !== present.name) return false;
  if (hasAttributes(to)) {
    const comparison = { ids: new ValueIds(), budget: newBudget() };
    replaceAttributes(to, present.attributes, past.attributes, comparison);
  }
  replaceNodes(() => to, present, past.nodes);
  return true;
}

/** Describes everything that `copyXml` copies. */
export function describeXml(root: XmlRoot): JsonValue {
  const { name, attributes, nodes } = readExactly(root);
  return { name, attributes, nodes };
}

/** Reads a root or a nested type with all its characters, also those that XML does not allow. */
const readExactly = (root: XmlRoot) => ({
  name: root instanceof Y.XmlElement ? root.nodeName : '',
  attributes: hasAttributes(root) ? attributesOf(root, false) : {},
  ...readNodes(root, false),
});

const hasAttributes = (root: XmlRoot): root is Y.XmlElement | Y.XmlText =>
  root instanceof Y.XmlElement || root instanceof Y.XmlText;

/**
 * Replaces the nodes that were read with `target`, by a minimal change.
 *
 * @param open returns the root. It is called only if there is a change, since opening fixes the root's type
 * @returns whether anything changed
 */
function replaceNodes(
  open: () => XmlRoot,
  { nodes, sources }: XmlReading,
  target: XmlNode[],
): boolean {
  const ids = new ValueIds();
  if (ids.areEqual(nodes, target)) return false;
  const comparison = { ids, budget: newBudget(), knownWords: new Map() };
  const replacement = new XmlReplacement(sources, comparison);
  const root = open();
  root.doc?.transact(() => {
    if (root instanceof Y.XmlText) replacement.replaceEmbedded(root, nodes, target);
    else replacement.replaceChildren(root, nodes, target);
  });
  return true;
}

function targetOf(
  markup: readonly Markup[],
  { nodes, form, vocabulary }: Pick<RootReading, 'nodes' | 'form' | 'vocabulary'>,
): XmlNode[] {
  if (form === 'fragment') return interpretXml(markup, vocabulary);
  return toEmbedded(interpretXml(withoutLexicalRoot(markup), vocabulary), hasBareText(nodes));
}

/** Returns the children of Lexical's root element `root`, which callers may write or omit. */
function withoutLexicalRoot(markup: readonly Markup[]): readonly Markup[] {
  const [only, ...others] = markup.filter((part) => isTag(part) || part.text.trim() !== '');
  const isRoot = only && isTag(only) && only.name === 'root' && others.length === 0;
  return isRoot ? only.children : markup;
}

function readRoot(doc: Y.Doc, key: string, marks: Marks): RootReading {
  requireRootType(doc, key, 'xml');
  const form = richTextFormOf(doc, key);
  const reading = readForm(doc, key, form);
  // Lexical has no marks, and its own nodes `link` and `code` are named like usual marks.
  const vocabulary = vocabularyOf(reading.nodes, { marks, usesUsualMarks: form === 'fragment' });
  return { ...reading, form, vocabulary };
}

function readForm(doc: Y.Doc, key: string, form: RootReading['form']): XmlReading {
  if (storedTypeOf(doc, key) === undefined) return { nodes: [], sources: new Map() };
  return readNodes(openForm(doc, key, form), true);
}

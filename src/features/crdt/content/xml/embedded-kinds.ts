import type { JsonObject, JsonValue } from '../json.ts';
import {
  type EmbeddedKind,
  isElement,
  type XmlElement,
  type XmlNode,
  type XmlRun,
} from './xml-tree.ts';

/** The XML attribute for the kind of an element. It is written only if the kind is not the name's default. */
export const KIND = '_as';
/** The element name for a nested Y.XmlText that has no Lexical type. */
export const UNTYPED = '_text';

const TEXT_NAMES = [
  'text',
  'tab',
  'hashtag',
  'mention',
  'emoji',
  'keyword',
  'code-highlight',
  'linebreak',
];
const DECORATORS = ['horizontalrule', 'image', 'inline-image', 'page-break', 'youtube', 'tweet'];

/** Returns the kind that a node of this name usually has. An unknown name most likely belongs to an element. */
export function defaultKind(name: string): EmbeddedKind {
  if (TEXT_NAMES.includes(name)) return 'text';
  return DECORATORS.includes(name) ? 'decorator' : 'element';
}

const isKind = (value: JsonValue | undefined): value is EmbeddedKind =>
  ['element', 'text', 'decorator', 'xml'].includes(String(value));

/** The initial values of Lexical's properties. Such a value means the same as a missing property. */
const DEFAULT_VALUES: Record<string, JsonValue> = {
  __format: 0,
  __indent: 0,
  __style: '',
  __dir: null,
  __mode: 0,
  __detail: 0,
  __textFormat: 0,
  __textStyle: '',
};

export const defaultOf = (property: string): JsonValue | undefined =>
  Object.hasOwn(DEFAULT_VALUES, property) ? DEFAULT_VALUES[property] : undefined;

export const withoutDefaults = (attributes: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => defaultOf(name) !== value),
  );

/**
 * Converts elements to the form of a Y.XmlText: each element has its kind, and text is inside nodes of
 * kind `text`.
 *
 * @param bareText whether the editor stores text directly, without such nodes
 */
export function toEmbedded(nodes: readonly XmlNode[], bareText: boolean): XmlNode[] {
  return nodes.map((node) => {
    if (isElement(node)) return embeddedElement(node, bareText);
    if (bareText || !node.runs.some((run) => 'text' in run)) return node;
    return { name: 'text', kind: 'text', attributes: {}, children: [node] };
  });
}

function embeddedElement(node: XmlElement, bareText: boolean): XmlElement {
  const { [KIND]: writtenKind, ...attributes } = node.attributes;
  const kind = isKind(writtenKind) ? writtenKind : defaultKind(node.name);
  const common = { name: node.name, kind, attributes: withoutDefaults(attributes) };
  if (kind === 'text') return { ...common, children: textOnly(node.children) };
  if (kind === 'xml') return { ...common, children: node.children };
  return { ...common, children: kind === 'decorator' ? [] : toEmbedded(node.children, bareText) };
}

/** Returns the text among nodes as one node. */
function textOnly(nodes: readonly XmlNode[]): XmlNode[] {
  const runs = nodes.flatMap((node): XmlRun[] => (isElement(node) ? [] : node.runs));
  return runs.length > 0 ? [{ runs }] : [];
}

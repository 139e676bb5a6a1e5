import type { JsonObject, JsonValue } from '../json.ts';
import {
  type EmbeddedKind,
  isElement,
  type XmlElement,
  type XmlNode,
  type XmlRun,
} from './xml-tree.ts';

/** The attribute that tells the kind of an element where its name does not. */
export const KIND = '_as';
/** A Y.XmlText inside another that no editor gave a type to. */
export const UNTYPED = '_text';

const TEXTS = [
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

/** Of the kinds that are no text, only a name tells; an element is the likeliest. */
export function usualKind(name: string): EmbeddedKind {
  if (TEXTS.includes(name)) return 'text';
  return DECORATORS.includes(name) ? 'decorator' : 'element';
}

const isKind = (value: JsonValue | undefined): value is EmbeddedKind =>
  ['element', 'text', 'decorator', 'xml'].includes(String(value));

/** What Lexical's nodes start with: a property that has this value is as good as absent. */
const DEFAULTS: Record<string, JsonValue> = {
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
  Object.hasOwn(DEFAULTS, property) ? DEFAULTS[property] : undefined;

export const withoutDefaults = (attributes: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => defaultOf(name) !== value),
  );

/**
 * Elements as a Y.XmlText keeps them: each with its kind, and text inside a node of type `text`,
 * unless the editor keeps text without such nodes.
 */
export function embedded(nodes: readonly XmlNode[], bareText: boolean): XmlNode[] {
  return nodes.map((node) => {
    if (isElement(node)) return embeddedElement(node, bareText);
    if (bareText || !node.runs.some((run) => 'text' in run)) return node;
    return { name: 'text', as: 'text', attributes: {}, children: [node] };
  });
}

function embeddedElement(node: XmlElement, bareText: boolean): XmlElement {
  const { [KIND]: asked, ...attributes } = node.attributes;
  const as = isKind(asked) ? asked : usualKind(node.name);
  const common = { name: node.name, as, attributes: withoutDefaults(attributes) };
  if (as === 'text') return { ...common, children: textOnly(node.children) };
  if (as === 'xml') return { ...common, children: node.children };
  return { ...common, children: as === 'decorator' ? [] : embedded(node.children, bareText) };
}

function textOnly(nodes: readonly XmlNode[]): XmlNode[] {
  const runs = nodes.flatMap((node): XmlRun[] => (isElement(node) ? [] : node.runs));
  return runs.length > 0 ? [{ runs }] : [];
}

import * as Y from 'yjs';
import { MAX_INSERTED_AT_ONCE } from '../stored-form.ts';
import { type DeltaStep, insertionsOf } from './diff-runs.ts';
import { UNTYPED } from './embedded-kinds.ts';
import { setAttributes } from './replace-attributes.ts';
import { isElement, type XmlElement, type XmlNode } from './xml-tree.ts';

/** Builds the type that stores a node in a Y.XmlFragment. */
export function buildChild(node: XmlNode): Y.XmlElement | Y.XmlText {
  if (isElement(node)) return buildElement(node);
  const text = new Y.XmlText();
  text.applyDelta(insertionsOf(node.runs));
  return text;
}

function buildElement({ name, attributes, children }: XmlElement): Y.XmlElement {
  const element = new Y.XmlElement(name);
  setAttributes(element, attributes);
  for (let at = 0; at < children.length; at += MAX_INSERTED_AT_ONCE) {
    element.insert(at, children.slice(at, at + MAX_INSERTED_AT_ONCE).map(buildChild));
  }
  return element;
}

/** Returns the steps that insert a node into a Y.XmlText. A node of kind `text` is a marker before its text. */
export function embedSteps(node: XmlNode): DeltaStep[] {
  if (!isElement(node)) return insertionsOf(node.runs);
  const marker = { insert: buildEmbedded(node), attributes: {} };
  return node.kind === 'text' ? [marker, ...node.children.flatMap(embedSteps)] : [marker];
}

function buildEmbedded(node: XmlElement): Y.XmlElement | Y.XmlText | Y.Map<unknown> {
  if (node.kind === 'xml') return buildElement(node);
  const type = newType(node);
  setAttributes(
    type,
    node.name === UNTYPED ? node.attributes : { __type: node.name, ...node.attributes },
  );
  if (type instanceof Y.XmlText) type.applyDelta(node.children.flatMap(embedSteps));
  return type;
}

/** Creates the type in which Lexical keeps a node of this kind. */
function newType({ kind }: XmlElement): Y.XmlElement | Y.XmlText | Y.Map<unknown> {
  if (kind === 'text') return new Y.Map();
  return kind === 'decorator' ? new Y.XmlElement() : new Y.XmlText();
}

import * as Y from 'yjs';
import type { JsonObject } from '../json.ts';
import { requireReadDepth } from '../read-json.ts';
import type { DeltaRun } from '../replace-text.ts';
import { UNTYPED, withoutDefaults } from './embedded-kinds.ts';
import { addRuns, readFields, runOf } from './rich-runs.ts';
import {
  addRun,
  type EmbeddedKind,
  isTextRun,
  type XmlElement,
  type XmlNode,
  type XmlRun,
  type XmlText,
} from './xml-tree.ts';

/** A shared type that stores a node. Several Y.XmlTexts may store the text between two elements. */
export type XmlSource = Y.XmlElement | Y.XmlHook | Y.XmlText | Y.Map<unknown>;

/** Rich text, and the shared types from which its nodes were read. */
export interface XmlReading {
  nodes: XmlNode[];
  sources: Map<XmlNode, readonly XmlSource[]>;
}

/**
 * Reads a Y.XmlFragment, where elements are children (ProseMirror and related editors), or a Y.XmlText,
 * where they are embedded (Lexical, Slate).
 *
 * @param forXml whether characters that XML does not allow are replaced
 */
export function readNodes(root: Y.XmlFragment | Y.XmlText, forXml: boolean): XmlReading {
  const reader = new XmlReader(forXml);
  const nodes =
    root instanceof Y.XmlText ? reader.readEmbedded(root, 1) : reader.readChildren(root, 1);
  return { nodes, sources: reader.sources };
}

/** Whether text is stored directly, and not in nodes of kind `text`. */
export const hasBareText = (nodes: readonly XmlNode[]): boolean =>
  nodes.some((node) =>
    'name' in node
      ? node.kind === 'element' && hasBareText(node.children)
      : node.runs.some(isTextRun),
  );

class XmlReader {
  readonly sources = new Map<XmlNode, readonly XmlSource[]>();
  readonly #forXml: boolean;

  constructor(forXml: boolean) {
    this.#forXml = forXml;
  }

  readChildren(parent: Y.XmlFragment, depth: number): XmlNode[] {
    requireReadDepth(depth);
    const nodes: XmlNode[] = [];
    let parts: Y.XmlText[] = [];
    const addText = () => {
      const runs: XmlRun[] = [];
      for (const part of parts) addRuns(runs, part, this.#forXml);
      if (runs.length > 0) nodes.push(this.#withSources({ runs }, parts));
      parts = [];
    };
    for (const child of parent.toArray()) {
      if (child instanceof Y.XmlText) {
        parts.push(child);
        continue;
      }
      addText();
      if (child instanceof Y.XmlElement) nodes.push(this.#readElement(child, depth));
      else if (child instanceof Y.XmlHook) nodes.push(this.#readHook(child));
    }
    addText();
    return nodes;
  }

  readEmbedded(parent: Y.XmlText, depth: number): XmlNode[] {
    requireReadDepth(depth);
    const nodes: XmlNode[] = [];
    let text: XmlText | undefined;
    // The text of a text node follows it in the same Y.XmlText.
    let owner: XmlElement | undefined;
    for (const { insert, attributes } of parent.toDelta() as DeltaRun[]) {
      const element = this.#readEmbeddedNode(insert, depth);
      if (element) {
        nodes.push(element);
        text = undefined;
        owner = element.kind === 'text' && element.name !== 'linebreak' ? element : undefined;
        continue;
      }
      if (!text) {
        text = { runs: [] };
        (owner?.children ?? nodes).push(text);
      }
      addRun(text.runs, runOf({ insert, attributes }, this.#forXml));
    }
    return nodes;
  }

  #readElement(element: Y.XmlElement, depth: number): XmlElement {
    const children = this.readChildren(element, depth + 1);
    const { nodeName: name } = element;
    return this.#withSources({ name, attributes: attributesOf(element, this.#forXml), children }, [
      element,
    ]);
  }

  #readHook(hook: Y.XmlHook): XmlElement {
    const attributes = readFields(hook.entries(), this.#forXml);
    return this.#withSources({ name: hook.hookName, attributes, children: [] }, [hook]);
  }

  #readEmbeddedNode(value: unknown, depth: number): XmlElement | undefined {
    if (value instanceof Y.XmlText) return this.#readEmbeddedText(value, depth);
    if (value instanceof Y.XmlElement) return this.#readEmbeddedElement(value, depth);
    if (!(value instanceof Y.Map) || typeof value.get('__type') !== 'string') return undefined;
    return this.#lexicalNode(value, 'text', readFields(value.entries(), this.#forXml));
  }

  #readEmbeddedText(text: Y.XmlText, depth: number): XmlElement {
    const children = this.readEmbedded(text, depth + 1);
    const fields = { __type: UNTYPED, ...attributesOf(text, this.#forXml) };
    return this.#lexicalNode(text, 'element', fields, children);
  }

  #readEmbeddedElement(element: Y.XmlElement, depth: number): XmlElement {
    const fields = attributesOf(element, this.#forXml);
    if (fields.__type !== undefined) return this.#lexicalNode(element, 'decorator', fields);
    return this.#withSources({ ...this.#readElement(element, depth), kind: 'xml' }, [element]);
  }

  /** Returns the element for a node of Lexical, whose `__type` is among its fields. */
  #lexicalNode(
    source: XmlSource,
    kind: EmbeddedKind,
    { __type, ...fields }: JsonObject,
    children: XmlNode[] = [],
  ): XmlElement {
    const node = { name: String(__type), kind, attributes: withoutDefaults(fields), children };
    return this.#withSources(node, [source]);
  }

  #withSources<Node extends XmlNode>(node: Node, sources: readonly XmlSource[]): Node {
    this.sources.set(node, sources);
    return node;
  }
}

export const attributesOf = (type: Y.XmlElement | Y.XmlText, forXml: boolean): JsonObject =>
  readFields(Object.entries<unknown>(type.getAttributes()), forXml);

import type { ContentType } from '../../../../client/index.ts';

/** A piece of content: a type with what is in it, or a value. */
export interface TreeNode {
  /** The key or index in what is above it, or the name of an XML element. */
  label: string;
  /** Its type, such as `map`. */
  kind: string;
  /** The value of a leaf. */
  text?: string;
  children?: TreeNode[];
}

/** The content of an editor as a tree. What cannot be parsed stands as text. */
export function treeOf(type: ContentType, data: unknown): TreeNode {
  if (type === 'xml' && typeof data === 'string') return xmlTree(data);
  return jsonTree('content', data);
}

function jsonTree(label: string, value: unknown): TreeNode {
  if (Array.isArray(value)) {
    return { label, kind: 'array', children: value.map((each, at) => jsonTree(String(at), each)) };
  }
  if (typeof value === 'object' && value !== null) {
    const children = Object.entries(value).map(([key, each]) => jsonTree(key, each));
    return { label, kind: 'map', children };
  }
  if (typeof value === 'string') return { label, kind: 'text', text: value };
  return { label, kind: value === null ? 'null' : typeof value, text: String(value) };
}

function xmlTree(xml: string): TreeNode {
  const parsed = new DOMParser().parseFromString(`<content>${xml}</content>`, 'text/xml');
  if (parsed.querySelector('parsererror')) return { label: 'content', kind: 'xml', text: xml };
  return elementTree(parsed.documentElement);
}

function elementTree(element: Element): TreeNode {
  const attributes = [...element.attributes].map(
    ({ name, value }): TreeNode => ({ label: name, kind: 'attribute', text: value }),
  );
  const children = [...element.childNodes].map((child) =>
    child instanceof Element
      ? elementTree(child)
      : { label: '', kind: 'text', text: child.textContent ?? '' },
  );
  return { label: element.tagName, kind: 'element', children: [...attributes, ...children] };
}

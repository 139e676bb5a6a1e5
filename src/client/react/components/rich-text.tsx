import { createElement, type ReactNode } from 'react';

/** Elements that are shown as what they are, without their attributes. */
const SHOWN = new Set(['b', 'strong', 'i', 'em', 'code', 'pre', 'ul', 'ol', 'li', 'p', 'br']);
/** Elements whose content is not for readers. */
const HIDDEN = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
  'object',
  'svg',
  'math',
]);
const SAFE_LINK = /^(https?|mailto):/i;
const MAX_DEPTH = 40;

/**
 * The HTML of a comment as elements of React: formats, lists and links, and of everything else its text. The
 * HTML itself never gets into the page.
 *
 * @param showText shows a piece of text
 */
export function richText(html: string, showText: (text: string) => ReactNode): ReactNode {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return childrenOf(body, showText, 0);
}

const childrenOf = (node: Node, showText: (text: string) => ReactNode, depth: number) =>
  [...node.childNodes].map((child, at) => nodeOf(child, at, showText, depth + 1));

function nodeOf(
  node: Node,
  key: number,
  showText: (text: string) => ReactNode,
  depth: number,
): ReactNode {
  if (node.nodeType === Node.TEXT_NODE)
    return <span key={key}>{showText(node.nodeValue ?? '')}</span>;
  if (!(node instanceof Element) || HIDDEN.has(node.localName)) return null;
  if (depth > MAX_DEPTH) return node.textContent;
  const { localName } = node;
  if (localName === 'br') return <br key={key} />;
  const href = node.getAttribute('href') ?? '';
  if (localName === 'a' && SAFE_LINK.test(href)) {
    return (
      <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {node.textContent}
      </a>
    );
  }
  const children = childrenOf(node, showText, depth);
  return createElement(SHOWN.has(localName) ? localName : 'span', { key }, children);
}

import { createElement, type ReactNode } from 'react';
import type { User } from '../../../api/contract.ts';
import type { ThreadComment } from '../../core/thread.ts';
import { firstNumberOf, unformatHtml } from './format-text.ts';
import { parseHtml } from './parse-html.ts';
import { useIsInBrowser } from './use-is-in-browser.ts';

export const nameOf = ({ name, email, userId }: User): string => name || email || userId;

/** The text of a comment, with its formats, links and mentions. The comment's own HTML is never put into the page. */
export function CommentText({ comment }: { comment: ThreadComment }): ReactNode {
  const names = comment.taggedUserContacts.map(nameOf);
  const show = (text: string) => splitText(text, names).map(showPiece);
  const { commentText, commentHtml } = comment;
  // A server has no HTML parser.
  const hasHtml = useIsInBrowser() && commentHtml !== '';
  const html = hasHtml ? parseHtml(commentHtml) : undefined;
  // Formats, lists and links are kept. Of all other elements, only the text is shown.
  return <div className="collab-text">{html ? childrenOf(html, show, 0) : show(commentText)}</div>;
}

function showPiece({ kind, text }: TextPiece, at: number): ReactNode {
  if (kind === 'text') return text;
  if (kind === 'mention') {
    return (
      <span key={at} className="collab-mention">
        {text}
      </span>
    );
  }
  return (
    <a key={at} href={text} target="_blank" rel="noopener noreferrer nofollow ugc">
      {text}
    </a>
  );
}

/** The text of a comment as its author typed it, with marks such as `**` for formats. */
export const editableTextOf = ({ commentText, commentHtml }: ThreadComment): string =>
  commentHtml === '' ? commentText : (unformatHtml(commentHtml) ?? commentText);

/** A piece of a comment's text. */
interface TextPiece {
  kind: 'text' | 'mention' | 'link';
  text: string;
}

const LINK_PATTERN = String.raw`https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]]`;

const escapeRegExp = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Splits a text at links and at mentions of these names. Longer names are tried before shorter ones. */
function splitText(text: string, names: string[]): TextPiece[] {
  const mentions = names
    .filter((name) => name !== '')
    .sort((a, b) => b.length - a.length)
    .map((name) => `@${escapeRegExp(name)}`);
  const pieces = text.split(new RegExp(`(${[...mentions, LINK_PATTERN].join('|')})`, 'u'));
  return pieces.flatMap((piece, at): TextPiece[] => {
    if (piece === '') return [];
    // `split` returns the matches of the group at the odd indexes.
    const matchKind = piece.startsWith('@') ? 'mention' : 'link';
    return [{ kind: at % 2 === 0 ? 'text' : matchKind, text: piece }];
  });
}

/** Elements that are kept, without their attributes. Only an ordered list keeps its first number. */
const SHOWN_ELEMENTS = new Set([
  'b',
  'strong',
  'i',
  'em',
  'code',
  'pre',
  'ul',
  'ol',
  'li',
  'p',
  'br',
]);
/** Elements that are not shown, and whose content is not shown either. */
const HIDDEN_ELEMENTS = new Set('script style template noscript iframe object svg math'.split(' '));
const SAFE_LINK = /^(https?|mailto):/i;
const MAX_DEPTH = 40;

/** The children of a node as React elements. @param showText renders a piece of text */
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
  if (!(node instanceof Element) || HIDDEN_ELEMENTS.has(node.localName)) return null;
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
  if (localName === 'ol') return createElement('ol', { key, start: firstNumberOf(node) }, children);
  return createElement(SHOWN_ELEMENTS.has(localName) ? localName : 'span', { key }, children);
}

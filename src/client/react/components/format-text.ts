import { parseHtml } from './parse-html.ts';

/** A comment as plain text, and as HTML if it has formats. */
export interface FormattedText {
  text: string;
  /** Undefined for a comment without formats. */
  html: string | undefined;
}

const INLINE =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/g;
const ITEM = /^(?:[-*]|(\d{1,3})\.) (.*)$/;

/**
 * Converts a comment as it is typed to plain text and HTML. Its formats are `**bold**`, `*italic*`, `` `code` ``,
 * `[text](https://…)`, and lines that begin with `- ` or `1. `.
 */
export function formatText(source: string): FormattedText {
  const lines = source.split('\n').map(lineOf).join('\n');
  // Neighbouring items form one list, and a list needs no line breaks around it.
  const joined = lines
    .replaceAll(/<\/ul>\n<ul>|<\/ol>\n<ol[^>]*>/g, '')
    .replaceAll(/(<\/[uo]l>)\n|\n(<[uo]l[ >])/g, '$1$2')
    .replaceAll('\n', '<br>');
  const text = source.replaceAll(
    INLINE,
    (_, code, bold, italic, label, url) => code ?? bold ?? italic ?? `${label} (${url})`,
  );
  const hasFormats = /<(?!br>)/.test(joined);
  return { text, html: hasFormats ? joined : undefined };
}

function lineOf(line: string): string {
  const item = ITEM.exec(line);
  if (!item) return inlineOf(line);
  const [, number, content = ''] = item;
  const li = `<li>${inlineOf(content)}</li>`;
  if (number === undefined) return `<ul>${li}</ul>`;
  const start = Number(number) === 1 ? '' : ` start="${Number(number)}"`;
  return `<ol${start}>${li}</ol>`;
}

const inlineOf = (line: string): string =>
  escapeHtml(line).replaceAll(INLINE, (_, code, bold, italic, label, url) => {
    if (code) return `<code>${code}</code>`;
    if (label) return `<a href="${url}">${label}</a>`;
    return bold ? `<strong>${bold}</strong>` : `<em>${italic}</em>`;
  });

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** The first number of an ordered list. */
export function firstNumberOf(list: Element): number {
  const start = Number(list.getAttribute('start') ?? 1);
  return Number.isInteger(start) ? start : 1;
}

/** The inverse of `formatText`: returns the text as it was typed; undefined if the HTML cannot be parsed. */
export function unformatHtml(html: string): string | undefined {
  const body = parseHtml(html);
  return body && sourceOf(body).trim();
}

function sourceOf(node: Node): string {
  if (node instanceof Text) return node.data;
  if (!(node instanceof HTMLElement)) return '';
  const inner = [...node.childNodes].map(sourceOf).join('');
  const tag = node.localName;
  if (tag === 'br') return '\n';
  if (tag === 'b' || tag === 'strong') return `**${inner}**`;
  if (tag === 'i' || tag === 'em') return `*${inner}*`;
  if (tag === 'code') return `\`${inner}\``;
  if (tag === 'a') return `[${inner}](${node.getAttribute('href')})`;
  if (tag === 'li') {
    const list = node.parentElement;
    const number = [...(list?.children ?? [])].indexOf(node) + (list ? firstNumberOf(list) : 1);
    return `\n${list?.localName === 'ol' ? `${number}.` : '-'} ${inner}`;
  }
  if (/^(ul|ol|p|div)$/.test(tag)) return `${inner}\n`;
  return tag === 'script' || tag === 'style' ? '' : inner;
}

import { highlightHTML } from '@speed-highlight/core';
import { Marked, type Token, type Tokens } from 'marked';
import type { Links } from './links.ts';

export interface Rendered {
  html: string;
  headings: Heading[];
}

export interface Heading {
  id: string;
  text: string;
  level: number;
}

/** Code blocks that follow each other show the same in several languages. */
interface CodeGroup extends Tokens.Generic {
  type: 'codeGroup';
  blocks: Array<Tokens.Code & { html: string }>;
}

/** Renders the Markdown of a page as HTML, with links as seen from its path. */
export async function render(markdown: string, from: string, links: Links): Promise<Rendered> {
  const headings: Heading[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    extensions: [
      { name: 'codeGroup', renderer: (token) => codeGroup((token as CodeGroup).blocks) },
    ],
    renderer: {
      heading({ tokens, depth, text }) {
        const id = uniqueId(slugOf(text), headings);
        headings.push({ id, text: plain(text), level: depth });
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${id}">${content}</h1>\n`;
        const anchor = `<a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(plain(text))}">#</a>`;
        return `<h${depth} id="${id}">${content}${anchor}</h${depth}>\n`;
      },
      codespan({ text }) {
        const href = links.ofCode(text, from);
        const html = `<code>${escapeHtml(text)}</code>`;
        return href ? `<a class="named" href="${href}">${html}</a>` : html;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const address = links.ofHref(href, from);
        return address === undefined ? content : `<a href="${escapeHtml(address)}">${content}</a>`;
      },
      image: ({ href, text }) =>
        `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}" loading="lazy">`,
      // Only Markdown is written in guides and descriptions.
      html: ({ text }) => escapeHtml(text),
    },
  });
  const tokens = groupCode(marked.lexer(markdown));
  for (const token of tokens) {
    const { blocks } = token as CodeGroup;
    for (const block of blocks ?? []) block.html = await highlight(block);
  }
  const html = marked
    .parser(tokens)
    .replace(
      /<table>(?=\s*<thead>\s*<tr>\s*<th>(?:Field|Operation|Status|Setting)<)/g,
      table('table fields'),
    )
    .replace(/(?<!">)<table>/g, table('table'))
    .replaceAll('</table>', '</table></div>');
  return { html, headings };
}

/** Wide tables scroll by themselves, also by keys. */
const table = (name: string): string =>
  `<div class="${name}" role="group" aria-label="Table" tabindex="0"><table>`;

/** Makes one token of the code blocks that follow each other in different languages. */
function groupCode(tokens: Token[]): Token[] {
  const grouped: Token[] = [];
  for (const token of tokens) {
    const last = grouped.findLast(({ type }) => type !== 'space') as CodeGroup | undefined;
    if (token.type !== 'code') grouped.push(token);
    else if (last?.type === 'codeGroup' && !last.blocks.some(({ lang }) => lang === token.lang)) {
      last.blocks.push(token as CodeGroup['blocks'][number]);
    } else {
      const blocks = [token as CodeGroup['blocks'][number]];
      grouped.push({ type: 'codeGroup', raw: '', blocks } satisfies CodeGroup);
    }
  }
  return grouped;
}

const LANGUAGES: Record<string, { name: string; label: string }> = {
  sh: { name: 'bash', label: 'curl' },
  ts: { name: 'ts', label: 'TypeScript' },
  tsx: { name: 'ts', label: 'TypeScript' },
  bash: { name: 'bash', label: 'Shell' },
  python: { name: 'py', label: 'Python' },
  json: { name: 'json', label: 'JSON' },
  html: { name: 'html', label: 'HTML' },
};

const highlight = async ({ text, lang = '' }: Tokens.Code): Promise<string> => {
  const language = LANGUAGES[lang];
  return language ? highlightHTML(text, language.name, { block: false }) : escapeHtml(text);
};

function codeGroup(blocks: CodeGroup['blocks']): string {
  const figures = blocks.map(({ lang = '', html }) => {
    const label = LANGUAGES[lang]?.label ?? 'Code';
    return `<div class="code" data-language="${escapeHtml(lang)}"><button type="button" class="copy" hidden>Copy</button><pre tabindex="0" role="group" aria-label="${label}"><code>${html}</code></pre></div>`;
  });
  if (blocks.length === 1) return figures.join('');
  const tabs = blocks.map(({ lang = '' }) => {
    return `<button type="button" data-choose="${escapeHtml(lang)}">${LANGUAGES[lang]?.label ?? lang}</button>`;
  });
  return `<div class="languages"><div class="choice" role="group" aria-label="Language" hidden>${tabs.join('')}</div>${figures.join('')}</div>\n`;
}

/** The id of a heading as code hosts make it, so that links work there, too. */
export const slugOf = (text: string): string =>
  plain(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

function uniqueId(slug: string, taken: Heading[]): string {
  const ids = new Set(taken.map(({ id }) => id));
  let id = slug;
  for (let count = 1; ids.has(id); count += 1) id = `${slug}-${count}`;
  return id;
}

/** Text without the marks of Markdown. */
export const plain = (markdown: string): string =>
  markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');

export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

import { highlightHTML } from '@speed-highlight/core';
import { Marked } from 'marked';
import type { Links } from './links.ts';
import type { Page } from './page.ts';

/** Language names in Markdown that differ from those of the highlighter. */
const HIGHLIGHTER_LANGUAGES: Record<string, string> = { sh: 'bash', tsx: 'ts', python: 'py' };

/** Renders the Markdown of a page as HTML, with links to addresses of the site. */
export async function render({ path, markdown }: Page, links: Links): Promise<string> {
  const ids = new Set<string>();
  const marked = new Marked({
    async: true,
    async walkTokens(token) {
      if (token.type !== 'code') return;
      const language = HIGHLIGHTER_LANGUAGES[token.lang] ?? token.lang;
      token.text = await highlightHTML(token.text, language, { block: false });
      token.escaped = true;
    },
    renderer: {
      heading({ tokens, depth, text }) {
        const slug = slugOf(text);
        let id = slug;
        for (let count = 1; ids.has(id); count += 1) id = `${slug}-${count}`;
        ids.add(id);
        const content = this.parser.parseInline(tokens).replace(/<\/?a\b.*?>/g, '');
        const linked = depth === 1 ? content : `<a href="#${id}">${content}</a>`;
        return `<h${depth} id="${id}">${linked}</h${depth}>\n`;
      },
      codespan({ text }) {
        const href = links.resolveCode(text, path);
        const html = `<code>${escapeHtml(text)}</code>`;
        return href ? `<a href="${href}">${html}</a>` : html;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const address = links.resolveHref(href, path);
        return address === undefined ? content : `<a href="${escapeHtml(address)}">${content}</a>`;
      },
      // Guides and descriptions contain only Markdown, so whatever looks like HTML is text.
      html: ({ text }) => escapeHtml(text),
    },
  });
  return marked.parse(markdown);
}

const codeBlockPattern = (language: string): string =>
  `<pre><code class="language-${language}">(?:(?!</pre>)[^])*</pre>\n`;
/** Matches an example in all languages, of which readers choose one. */
const EXAMPLE_PATTERN = new RegExp(
  codeBlockPattern('sh') + codeBlockPattern('ts') + codeBlockPattern('python'),
  'g',
);
const LANGUAGE_BUTTONS = `<div role="group" aria-label="Language">
<button type="button" data-choose="sh">curl</button>
<button type="button" data-choose="ts">TypeScript</button>
<button type="button" data-choose="python">Python</button>
</div>`;

/** Adds controls for readers: a choice of languages, copy buttons, and scrolling with the keyboard. */
export const withControls = (html: string): string =>
  html
    .replace(EXAMPLE_PATTERN, `<div class="examples">\n${LANGUAGE_BUTTONS}\n$&</div>\n`)
    .replaceAll('<pre>', '<figure><button type="button">Copy</button><pre tabindex="0">')
    .replaceAll('</pre>', '</pre></figure>')
    .replaceAll('<table>', '<table tabindex="0">')
    .replaceAll('<img ', '<img loading="lazy" ');

/** The id of a heading as GitHub generates it, so that links to headings also work there. */
export const slugOf = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** Cuts the HTML of a page at its headings. Text before the first heading has the level 0. */
export const sectionsOf = (html: string) =>
  html.split(/^(?=<h[1-3] )/m).map((part) => {
    const found = /^<h(.) id="(.*?)">(.*?)<\/h.>/.exec(part);
    if (!found) return { level: 0, id: '', heading: '', content: part };
    const [all, level, id = '', heading = ''] = found;
    return {
      level: Number(level),
      id,
      heading: withoutTags(heading),
      content: part.slice(all.length),
    };
  });

const withoutTags = (html: string): string => html.replace(/<[^>]*>/g, '');

export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Returns the sections of a page that readers can search. The browser builds the search index from them. */
export function searchEntries({ path, title: page }: Page, html: string) {
  // Examples and failures are much the same on all pages of the reference, so they are not searched.
  const isReference = path.includes('/');
  const prose = isReference ? html.replace(/<pre>.*?<\/pre>/gs, '') : html;
  return sectionsOf(prose).flatMap(({ level, id, heading, content }) => {
    const text = isReference && heading === 'Failures' ? '' : textOf(content);
    if (level > 1 && text === '') return [];
    return { id: level > 1 ? `${path}#${id}` : path, page, heading: textOf(heading), text };
  });
}

/** The HTML entities that the Markdown renderer and the highlighter write. */
const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#38': '&',
  '#39': "'",
};

const textOf = (html: string): string =>
  withoutTags(html)
    .replace(/&(#?\w+);/g, (entity, name) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();

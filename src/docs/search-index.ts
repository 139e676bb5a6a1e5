import type { Page } from './page.ts';
import { sectionsOf, withoutTags } from './render.ts';

/** The sections of a page, as readers search for them. The browser makes the index. */
export function searchEntries({ path, title: page }: Page, html: string) {
  // Pages of the reference repeat themselves in examples and failures, so only words count there.
  const isReference = path.includes('/');
  const prose = isReference ? html.replace(/<pre>.*?<\/pre>/gs, '') : html;
  return sectionsOf(prose).flatMap(({ level, id, heading, content }) => {
    const text = isReference && heading === 'Failures' ? '' : textOf(content);
    if (level > 1 && text === '') return [];
    return { id: level > 1 ? `${path}#${id}` : path, page, heading: textOf(heading), text };
  });
}

const CHARACTERS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#38': '&' };

const textOf = (html: string): string =>
  withoutTags(html)
    .replace(/&(#?\w+);/g, (_all, name) => CHARACTERS[name] ?? "'")
    .replace(/\s+/g, ' ')
    .trim();

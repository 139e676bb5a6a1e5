import type { Site } from './pages.ts';
import { plain, slugOf } from './render.ts';

/** A section of a page, as readers search for it. */
interface Section {
  /** The address below `/docs/`. */
  id: string;
  page: string;
  heading: string;
  text: string;
}

/** Lists the sections of all pages. The browser makes the index. */
export function searchIndex({ pages }: Site): Section[] {
  const sections: Section[] = [];
  for (const { path, title, markdown } of pages.values()) {
    const taken = new Map<string, number>();
    for (const part of markdown.split(/^(?=#{1,3} )/m)) {
      const [, marks = '', heading = ''] = /^(#+) (.+)/.exec(part) ?? [];
      const slug = slugOf(heading);
      const count = taken.get(slug) ?? 0;
      taken.set(slug, count + 1);
      const anchor = marks.length < 2 ? '' : `#${count === 0 ? slug : `${slug}-${count}`}`;
      const text = textOf(part, path);
      if (heading === '' || (anchor && text === '')) continue;
      sections.push({ id: path + anchor, page: title, heading: plain(heading), text });
    }
  }
  return sections;
}

/** Pages of the reference repeat themselves in examples and failures, so only words count there. */
function textOf(part: string, path: string): string {
  const isReference = path.includes('/');
  const prose = part
    .replace(/^#+ .+\n?/, '')
    .replace(/^```[\s\S]*?^```$/gm, isReference ? '' : '$&');
  if (isReference && /^## Failures/.test(part)) return '';
  return plain(prose.replace(/[|#]|-{3,}|```\w*/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

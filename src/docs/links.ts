import { addressOf, rootFrom } from './page.ts';
import type { Site } from './pages.ts';
import { operationsIn } from './reference/api-document.ts';

/** Resolves the links of a page to addresses of the site. */
export class Links {
  /** Pages by the names that guides write as code; undefined for a name that several pages have. */
  readonly #pagesByName = new Map<string, string | undefined>();

  constructor({ pages, document }: Site) {
    // Guides also name operations by the ends of their paths, such as `crdt/update`.
    for (const { path, operationId } of operationsIn(document)) {
      const [, ...parts] = path.split('/');
      const ends = parts.slice(0, -1).map((_part, at) => parts.slice(at).join('/'));
      for (const name of [path, ...ends]) {
        this.#pagesByName.set(
          name,
          this.#pagesByName.has(name) ? undefined : `operations/${operationId}`,
        );
      }
    }
    for (const { path, group } of pages) {
      const name = path.split('/')[1] ?? '';
      // A name that an operation and an event share leads to the operation, which comes first.
      if (group !== undefined && !this.#pagesByName.has(name)) this.#pagesByName.set(name, path);
    }
  }

  /**
   * Returns the address of the page that a text written as code names, relative to the page `from`; undefined if
   * the text names no page, several pages, or `from` itself.
   */
  resolveCode(text: string, from: string): string | undefined {
    const to = this.#pagesByName.get(text.replace(/^POST /, ''));
    return to === undefined || to === from ? undefined : addressOf(to, from);
  }

  /**
   * Rewrites a link of a Markdown file: `comments.md#threads` leads to the page `comments`. Returns
   * undefined for a file of the project that is not on the site.
   */
  resolveHref(href: string, from: string): string | undefined {
    if (/^(?:https?:|mailto:|#)/.test(href)) return href;
    const { pathname, hash } = new URL(href, `https://site/docs/${from}`);
    // The project's README is not a page, but some of its sections are, such as `README.md#configuration`.
    if (pathname === '/README.md') return addressOf(hash.slice(1), from);
    const [, page] = /^\/docs\/(.+)\.md$/.exec(pathname) ?? [];
    if (page !== undefined) return addressOf(page.replace(/^README$/, ''), from) + hash;
    return /^\/\w+\.json$/.test(pathname) ? `${rootFrom(from)}${pathname.slice(1)}` : undefined;
  }
}

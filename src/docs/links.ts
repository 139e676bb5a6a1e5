import { addressOf, rootFrom } from './pages.ts';
import { type ApiDocument, operationsIn } from './reference/api-document.ts';
import { STATUS_NAMES } from './reference/failure-page.ts';

/** Resolves the links of a page to addresses of the site. */
export class Links {
  /** The pages that a text in code style names. */
  readonly #named: Map<string, string>;

  constructor(document: ApiDocument) {
    this.#named = new Map([
      ...namesOfPaths(document),
      ...Object.keys(document.webhooks).map((type) => [type, `event-types/${type}`] as const),
      ...Object.keys(document['x-subscriptions']).map(
        (name) => [name, `subscriptions/${name}`] as const,
      ),
      ...STATUS_NAMES.map((status) => [status, `failures/${status}`] as const),
      ...operationsIn(document).map(
        ({ operationId }) => [operationId, `operations/${operationId}`] as const,
      ),
    ]);
  }

  /** The address of the page that a text in code style names, as seen from a page. */
  ofCode(text: string, from: string): string | undefined {
    const to = this.#named.get(text.replace(/^POST /, ''));
    return to === undefined || to === from ? undefined : addressOf(to, from);
  }

  /**
   * Rewrites a link of a Markdown file: `comments.md#threads` leads to the page `comments`. Files of
   * the project outside of its documents are not on the site (undefined).
   */
  ofHref(href: string, from: string): string | undefined {
    if (/^(?:https?:|mailto:|#)/.test(href)) return href;
    const folder = `https://site/docs/${from}`;
    const { pathname, hash } = new URL(href, folder);
    if (pathname === '/README.md') {
      return hash === '#configuration' ? addressOf('configuration', from) : addressOf('', from);
    }
    const below = /^\/docs\/(.+)$/.exec(pathname)?.[1];
    if (below === undefined) {
      return pathname.endsWith('.json') ? `${rootFrom(from)}${pathname.slice(1)}` : undefined;
    }
    // Files beside a guide, such as rules for another program.
    if (/\.(?:yml|json)$/.test(below)) return undefined;
    const page = below.replace(/\.md$/, '').replace(/^README$/, '');
    return addressOf(page, from) + hash;
  }
}

/** Guides name operations by the ends of their paths: `crdt/update`, where it is the only one. */
function namesOfPaths(document: ApiDocument): Array<[string, string]> {
  const found = new Map<string, Set<string>>();
  for (const { path, operationId } of operationsIn(document)) {
    const parts = path.split('/').slice(1);
    const ends = parts.slice(0, -1).map((_part, at) => parts.slice(at).join('/'));
    for (const name of [path, ...ends]) {
      found.set(name, (found.get(name) ?? new Set()).add(`operations/${operationId}`));
    }
  }
  return [...found].flatMap(([name, [page, ...others]]) =>
    page && others.length === 0 ? [[name, page] as [string, string]] : [],
  );
}

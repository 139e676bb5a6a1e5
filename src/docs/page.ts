/** A page of the site. All pages are Markdown, either written by hand or generated from the contract. */
export interface Page {
  /** The address below `/docs`: `comments`, `operations/documents.get`; empty for the first page. */
  path: string;
  title: string;
  /** The heading of the navigation that lists the page. */
  section: string;
  /** The group in which a page of the reference is listed; empty for a section without groups. */
  group?: string;
  markdown: string;
}

/** The address of the folder that contains `/docs`. It is relative, because proxies may add a prefix. */
export const rootFrom = (pagePath: string): string =>
  pagePath === '' ? './' : '../'.repeat(pagePath.split('/').length);

/** The relative address of a page, from another one. */
export const addressOf = (to: string, from: string): string =>
  `${rootFrom(from)}docs${to && '/'}${to}`;

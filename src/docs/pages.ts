import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readGuides, titleOf } from './guides.ts';
import { type ApiDocument, operationsIn } from './reference/api-document.ts';
import { eventPage } from './reference/event-page.ts';
import { failurePage, STATUS_NAMES } from './reference/failure-page.ts';
import {
  eventTypesPage,
  failuresPage,
  operationsPage,
  subscriptionsPage,
} from './reference/index-pages.ts';
import { operationPage } from './reference/operation-page.ts';
import { subscriptionPage } from './reference/subscription-page.ts';

/** A page of the site. All of them are Markdown, written by hand or from the contract. */
export interface Page {
  /** The address below `/docs`: `comments`, `operations/documents.get`; empty for the first page. */
  path: string;
  title: string;
  /** The heading of the navigation that lists the page. */
  section: string;
  /** Pages of one operation are listed by feature. */
  group?: string;
  markdown: string;
}

const DOCUMENT_FILE = path.join(import.meta.dirname, '../api/openapi.json');

export interface Site {
  pages: Map<string, Page>;
  document: ApiDocument;
}

/** Reads the guides and the contract, and lists the pages. */
export async function readSite(): Promise<Site> {
  const document: ApiDocument = JSON.parse(await readFile(DOCUMENT_FILE, 'utf8'));
  const guides = await readGuides();
  const pages: Page[] = [...guides, ...referencePages(document)];
  return { document, pages: new Map(pages.map((page) => [page.path, page])) };
}

function referencePages(document: ApiDocument): Page[] {
  const page = (section: string, address: string, title: string, markdown: string): Page => ({
    path: address,
    title,
    section,
    markdown,
  });
  const index = (address: string, markdown: string) =>
    page(titleOf(markdown), address, titleOf(markdown), markdown);
  const names = new Map(document.tags.map((tag) => [tag.name, tag['x-displayName']]));
  return [
    index('operations', operationsPage(document)),
    ...operationsIn(document).map((operation) => {
      const { operationId, summary, tags } = operation;
      const markdown = operationPage(operation, document);
      const group = names.get(tags[0] ?? '') ?? '';
      return { ...page('Operations', `operations/${operationId}`, summary, markdown), group };
    }),
    index('event-types', eventTypesPage(document)),
    ...Object.keys(document.webhooks).map((type) =>
      page('Event types', `event-types/${type}`, type, eventPage(type, document)),
    ),
    index('subscriptions', subscriptionsPage(document)),
    ...Object.keys(document['x-subscriptions']).map((name) =>
      page('Subscriptions', `subscriptions/${name}`, name, subscriptionPage(name, document)),
    ),
    index('failures', failuresPage()),
    ...STATUS_NAMES.map((status) =>
      page('Failures', `failures/${status}`, status, failurePage(status, document)),
    ),
  ];
}

/** The relative address of the folder that contains `/docs`, as proxies may add a prefix. */
export const rootFrom = (pagePath: string): string =>
  pagePath === '' ? './' : '../'.repeat(pagePath.split('/').length);

/** The relative address of a page, from another one. */
export const addressOf = (to: string, from: string): string =>
  `${rootFrom(from)}docs${to && '/'}${to}`;

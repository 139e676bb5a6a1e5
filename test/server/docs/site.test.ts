import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildSite } from '../../../src/docs/build-site.ts';
import { slugOf } from '../../../src/docs/render.ts';
import { committedDocument } from '../../support/api-document.ts';
import { startTestServer } from '../../support/server.ts';

await buildSite();
const server = await startTestServer();
const document = committedDocument();
const guides = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);

const get = (address: string, headers: Record<string, string> = {}) =>
  fetch(server.url + address, { headers });

/** Returns the first group of every match in a text. */
const allIn = (text: string, expression: RegExp): string[] =>
  [...text.matchAll(expression)].map(([, found = '']) => found);

const addressesIn = (html: string): string[] => allIn(html, /\s(?:src|href)="([^"]*)"/g);

/** The links of a page to others of this server, with their anchors. */
const linksFrom = (url: string, html: string): string[] =>
  addressesIn(html)
    .map((address) => new URL(address, url).href)
    .filter((href) => href.startsWith(server.url));

interface Visited {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

/** Follows every link from the first page and the pages below it. Answers by address without the anchor. */
async function crawl(start: string): Promise<Map<string, Visited>> {
  const visited = new Map<string, Visited>();
  const waiting = [start];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (visited.has(url)) continue;
    const response = await fetch(url);
    const { status, headers } = response;
    const text = await response.text();
    visited.set(url, { url, status, headers, text });
    const isPage = headers.get('content-type')?.startsWith('text/html');
    if (!isPage || !url.startsWith(start)) continue;
    for (const target of linksFrom(url, text)) waiting.push(target.split('#')[0] ?? '');
  }
  return visited;
}

const site = await crawl(`${server.url}/docs`);
const pages = [...site.values()].filter(
  ({ url, text }) => url.includes('/docs') && text.startsWith('<!doctype html>'),
);

describe('the pages at /docs', () => {
  it('are one for each guide, operation, event, subscription and status', () => {
    const below = (folder: string) =>
      pages.map(({ url }) => url.split(`/docs/${folder}/`)[1]).filter(Boolean);
    const operations = Object.values(document.paths).map(({ post }) => post?.operationId);
    expect(below('operations').sort()).toEqual(operations.sort());
    expect(below('event-types').sort()).toEqual(Object.keys(document.webhooks).sort());
    expect(below('subscriptions')).toContain('comments.changes');
    expect(below('failures')).toContain('PERMISSION_DENIED');
    for (const guide of guides.filter((name) => name !== 'README.md')) {
      expect(site.has(`${server.url}/docs/${guide.slice(0, -'.md'.length)}`), guide).toBe(true);
    }
  });

  it('have links and anchors that lead somewhere', () => {
    const broken = pages.flatMap(({ url, text }) =>
      linksFrom(url, text).filter((target) => {
        const [address = '', anchor] = target.split('#');
        const page = site.get(address);
        const ids = allIn(page?.text ?? '', /\sid="([^"]*)"/g);
        return page?.status !== 200 || !(!anchor || ids.includes(anchor));
      }),
    );
    expect(broken).toEqual([]);
  });

  it('load from this server alone, behind any prefix of a proxy', () => {
    for (const { url, text } of pages) {
      for (const address of allIn(text, /<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)) {
        expect(address, url).toMatch(/^(?:\.{1,2}\/|data:,|[\w-]+\/[\w-]+\.\w+$)/);
      }
      const outside = addressesIn(text).filter((address) => /^(?:\/|\w+:)/.test(address));
      const known = /^(?:data:,|https:\/\/(?:www\.standardwebhooks\.com|yjs\.dev))/;
      expect(outside.filter((address) => !known.test(address))).toEqual([]);
    }
  });

  it('may run only scripts of this server, and no styles but its own', () => {
    for (const { headers, text } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      for (const rule of ["default-src 'none'", "script-src 'self';", "style-src 'self';"]) {
        expect(policy).toContain(rule);
      }
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(text).not.toMatch(/ style=| on\w+="|<script(?![^>]+src=)/);
    }
  });

  it('exist as Markdown at the same address with .md, and all in /llms-full.txt', async () => {
    const full = await (await get('/llms-full.txt')).text();
    for (const { url } of pages) {
      const markdown = site.get(`${url}.md`);
      expect(markdown?.headers.get('content-type'), url).toBe('text/markdown; charset=utf-8');
      expect(markdown?.text).toMatch(/^# /);
      expect(full.includes(markdown?.text.trim() ?? ''), url).toBe(true);
    }
  });

  it('still have the addresses of the former viewer', async () => {
    expect((await get('/docs/reference')).url).toBe(`${server.url}/docs/operations`);
    expect((await get('/docs/openapi.json')).url).toBe(`${server.url}/openapi.json`);
  });

  it.each([
    '/docs/nothing',
    '/docs/nothing.md',
    '/docs/operations/nothing',
    '/docs/%2e%2e/package.json',
    '/docs/assets/../../package.json',
    '/docs/comments.html',
    '/not-found.html',
    '/docs/constructor',
  ])('are a 404 where there are none: %s', async (address) => {
    const response = await get(address);
    expect(response.status).toBe(404);
    expect((await response.json()).error.status).toBe('NOT_FOUND');
  });

  it('are a page with the navigation for browsers where there are none', async () => {
    const address = '/docs/operations/nope';
    const response = await get(address, { accept: 'text/html,*/*' });
    expect(response.status).toBe(404);
    const text = await response.text();
    expect(text).toContain('<h1 id="page-not-found">Page not found</h1>');
    const links = linksFrom(server.url + address, text).filter((url) => !url.includes('#'));
    expect(links.filter((url) => !site.has(url))).toEqual([]);
    expect(links.length).toBeGreaterThan(20);
  });
});

it('/llms.txt lists every page with an address that works, for language models', async () => {
  const links = allIn(await (await get('/llms.txt')).text(), /\]\(([^)]+)\)/g);
  expect(links.length).toBeGreaterThan(180);
  for (const link of links) {
    const response = await get(`/${link}`);
    await response.body?.cancel();
    expect(response.status, link).toBe(200);
  }
});

it('/asyncapi.json names all events and subscriptions, and holds every schema that it refers to', async () => {
  const response = await get('/asyncapi.json');
  expect(response.headers.get('content-type')).toContain('application/json');
  const text = await response.text();
  const description = JSON.parse(text);
  const { webhooks, sync, 'comments.changes': comments } = description.channels;
  expect(description.asyncapi).toMatch(/^3\./);
  for (const type of Object.keys(document.webhooks)) {
    expect(webhooks.messages).toHaveProperty([type]);
  }
  expect(comments.address).toBe('/trpc/comments.changes');
  expect(comments.description).toContain('the query `input` is `{"json": …}`');
  expect(sync.address).toBe('/collaboration');
  for (const pointer of allIn(text, /"\$ref":\s*"#\/([^"]+)"/g)) {
    expect(description, pointer).toHaveProperty(pointer.split('/'));
  }
});

it('links between the Markdown files lead to files and headings of the project', () => {
  const isFound = (link: string, from: string): boolean => {
    if (/^https?:/.test(link)) return true;
    const [name = '', anchor] = link.split('#');
    const file = name === '' ? from : path.join(path.dirname(from), name);
    if (!existsSync(file)) return false;
    if (!anchor || statSync(file).isDirectory()) return true;
    return allIn(readFileSync(file, 'utf8'), /^#+ (.+)$/gm)
      .map(slugOf)
      .includes(anchor);
  };
  for (const file of ['README.md', ...guides.map((name) => `docs/${name}`)]) {
    const text = readFileSync(file, 'utf8').replace(/```[\s\S]*?```/g, '');
    const broken = allIn(text, /\]\(([^)\s]+)\)/g).filter((link) => !isFound(link, file));
    expect(broken, file).toEqual([]);
  }
});

it.each([
  ['br;q=1, gzip;q=0.5', 'gzip'],
  ['*', 'gzip'],
  ['gzip; q=0.0, br', null],
  ['x-gzip', null],
])('the OpenAPI document is sent to clients that accept %s as %s', async (accepted, encoding) => {
  const headers = { 'accept-encoding': accepted, origin: 'https://a.example' };
  const response = await get('/openapi.json', headers);
  expect(response.headers.get('content-encoding')).toBe(encoding);
  if (encoding !== null) {
    expect(response.headers.get('vary')).toBe('Origin, accept-encoding');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(200_000);
  }
  expect(await response.json()).toEqual(document);
});

it('documents and pages are sent once to clients that cache them', async () => {
  for (const address of ['/openapi.json', '/docs/comments']) {
    const tag = (await get(address)).headers.get('etag') ?? '';
    const again = await get(address, { 'if-none-match': tag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get(address, { 'if-none-match': '"other"' })).status).toBe(200);
  }
});

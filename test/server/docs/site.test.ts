import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buildSite } from '../../../src/docs/build-site.ts';
import { slugOf } from '../../../src/docs/render.ts';
import { committedDocument } from '../../support/api-document.ts';
import { startTestServer } from '../../support/server.ts';

/** The addresses that the HTML of a page contains. */
const addressesIn = (html: string): string[] =>
  [...html.matchAll(/\s(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? '');

const idsIn = (html: string): Set<string> =>
  new Set([...html.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1] ?? ''));

/** A page, or any other file, with its HTML if it has some. */
interface Visited {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

/** Follows every link from a page and the pages below it, as a crawler would. Answers by address without the anchor. */
async function crawl(start: string): Promise<Map<string, Visited>> {
  const visited = new Map<string, Visited>();
  const waiting = [start];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (visited.has(url)) continue;
    const response = await fetch(url);
    const text = await response.text();
    visited.set(url, { url, status: response.status, headers: response.headers, text });
    const isPage = response.headers.get('content-type')?.startsWith('text/html');
    if (!isPage || !url.startsWith(start)) continue;
    for (const target of linksFrom(url, text)) waiting.push(target.split('#')[0] ?? '');
  }
  return visited;
}

/** The links of a page to others of this server, with their anchors. */
const linksFrom = (url: string, html: string): string[] =>
  addressesIn(html)
    .map((address) => new URL(address, url))
    .filter(({ origin }) => origin === new URL(url).origin)
    .map(({ href }) => href);

await buildSite();
const server = await startTestServer();
const site = await crawl(`${server.url}/docs`);
const pages = [...site.values()].filter(
  ({ url, text }) => url.includes('/docs') && text.startsWith('<!doctype html>'),
);

const document = committedDocument();

describe('the pages at /docs', () => {
  it('are one for each guide, operation, event, subscription and status', () => {
    const below = (folder: string) =>
      pages.map(({ url }) => url.split(`/docs/${folder}/`)[1]).filter(Boolean);
    const operations = Object.values(document.paths).map(({ post }) => post?.operationId);
    expect(below('operations').sort()).toEqual(operations.sort());
    expect(below('event-types').sort()).toEqual(Object.keys(document.webhooks).sort());
    expect(below('subscriptions')).toContain('comments.changes');
    expect(below('failures')).toContain('PERMISSION_DENIED');
    const guides = readdirSync('docs').filter((file) => file.endsWith('.md'));
    for (const guide of guides.filter((file) => file !== 'README.md')) {
      expect(site.has(`${server.url}/docs/${path.basename(guide, '.md')}`), guide).toBe(true);
    }
  });

  it('have links and anchors that lead somewhere', () => {
    const broken = pages.flatMap(({ url, text }) =>
      linksFrom(url, text).filter((target) => {
        const [address = '', anchor] = target.split('#');
        const page = site.get(address);
        return page?.status !== 200 || !(!anchor || idsIn(page.text).has(anchor));
      }),
    );
    expect(broken).toEqual([]);
  });

  it('load from this server alone, behind any prefix of a proxy', () => {
    for (const { url, text } of pages) {
      const loaded = [...text.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)];
      for (const [, address = ''] of loaded) {
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
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(policy).toContain("style-src 'self';");
      expect(text).not.toMatch(/ style=| on\w+="|<script(?![^>]+src=)/);
    }
  });

  it('exist as Markdown at the same address with .md', async () => {
    for (const { url } of pages) {
      const markdown = site.get(`${url}.md`);
      expect(markdown?.headers.get('content-type'), url).toBe('text/markdown; charset=utf-8');
      expect(markdown?.text).toMatch(/^# /);
    }
  });

  it('are small: a guide with all that it loads, and the search, take less than 60 KB', async () => {
    const loaded = ['docs/quickstart', ...ASSETS].map((name) => `${server.url}/${name}`);
    const sizes = await Promise.all(loaded.map(compressedSize));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
    const search = [`${server.url}/docs/assets/search.json`, `${server.url}/docs/assets/search.js`];
    const index = await Promise.all(search.map(compressedSize));
    expect(index.reduce((sum, size) => sum + size, 0)).toBeLessThan(120_000);
  });

  it('are sent once to readers who keep them', async () => {
    const first = await fetch(`${server.url}/docs/comments`);
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await fetch(`${server.url}/docs/comments`, { headers })).status).toBe(304);
  });

  it('still lead from the addresses of the former viewer to what replaces it', async () => {
    for (const [from, to] of [
      ['/docs/reference', '/docs/operations'],
      ['/docs/openapi.json', '/openapi.json'],
    ]) {
      expect((await fetch(server.url + from)).url).toBe(server.url + to);
    }
  });

  it.each([
    '/docs/nothing',
    '/docs/nothing.md',
    '/docs/operations/nothing',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/assets/../../package.json',
    '/docs/comments.html',
    '/not-found.html',
    '/docs/assets/nothing.js',
    '/docs/decision-memory/nothing.svg',
    '/docs/constructor',
  ])('are a 404 where there are none: %s', async (address) => {
    const response = await fetch(server.url + address);
    expect(response.status).toBe(404);
    expect((await response.json()).error.status).toBe('NOT_FOUND');
  });

  it.each(['/docs/nope', '/docs/operations/nope'])(
    'are a page with the navigation for browsers where there are none: %s',
    async (address) => {
      const response = await fetch(server.url + address, { headers: { accept: 'text/html,*/*' } });
      expect(response.status).toBe(404);
      const text = await response.text();
      expect(text).toContain('<h1 id="page-not-found">Page not found</h1>');
      const links = linksFrom(server.url + address, text).filter((url) => !url.includes('#'));
      expect(links.filter((url) => !site.has(url))).toEqual([]);
      expect(links.length).toBeGreaterThan(20);
    },
  );
});

const ASSETS = ['docs/assets/site.css', 'docs/assets/early.js', 'docs/assets/site.js'];

async function compressedSize(url: string): Promise<number> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  return gzipSync(await response.arrayBuffer()).length;
}

describe('for language models', () => {
  it('/llms.txt lists every page with an address that works', async () => {
    const text = await (await fetch(`${server.url}/llms.txt`)).text();
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(180);
    for (const link of links) {
      const response = await fetch(new URL(link, `${server.url}/llms.txt`));
      await response.body?.cancel();
      expect(response.status, link).toBe(200);
    }
  });

  it('/llms-full.txt contains every page', async () => {
    const text = await (await fetch(`${server.url}/llms-full.txt`)).text();
    for (const { url } of pages) {
      const markdown = site.get(`${url}.md`)?.text.trim() ?? '';
      expect(text.includes(markdown), url).toBe(true);
    }
  });
});

it('/asyncapi.json names all events and subscriptions, and holds every schema that it refers to', async () => {
  const response = await fetch(`${server.url}/asyncapi.json`);
  expect(response.headers.get('content-type')).toContain('application/json');
  const text = await response.text();
  const description = JSON.parse(text);
  expect(description.asyncapi).toMatch(/^3\./);
  for (const type of Object.keys(document.webhooks)) {
    expect(description.channels.webhooks.messages).toHaveProperty([type]);
  }
  expect(description.channels['comments.changes'].address).toBe('/trpc/comments.changes');
  expect(description.channels.sync.address).toBe('/collaboration');
  for (const [, pointer = ''] of text.matchAll(/"\$ref":\s*"#\/([^"]+)"/g)) {
    expect(description, pointer).toHaveProperty(pointer.split('/'));
  }
});

it('links between the Markdown files lead to files and headings of the project', () => {
  const files = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)];
  const problems = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8').replace(/```[\s\S]*?```/g, '');
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
      return links.filter((link) => !isFound(link, file)).map((link) => `${file}: ${link}`);
    });
  expect(problems).toEqual([]);
});

function isFound(link: string, from: string): boolean {
  if (/^https?:/.test(link)) return true;
  const [name = '', anchor] = link.split('#');
  const file = name === '' ? from : path.join(path.dirname(from), name);
  if (!existsSync(file)) return false;
  if (statSync(file).isDirectory()) return true;
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm);
  return !anchor || [...headings].some(([, text = '']) => slugOf(text) === anchor);
}

describe('the OpenAPI document', () => {
  const get = (headers: Record<string, string>) => fetch(`${server.url}/openapi.json`, { headers });

  it.each(['gzip', 'gzip, deflate, br', 'br;q=1, gzip;q=0.5', '*'])(
    'is sent compressed to clients that accept %s',
    async (accepted) => {
      const response = await get({ 'accept-encoding': accepted, origin: 'https://a.example' });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(response.headers.get('vary')).toBe('Origin, accept-encoding');
      expect(Number(response.headers.get('content-length'))).toBeLessThan(200_000);
      expect(await response.json()).toEqual(committedDocument());
    },
  );

  it.each(['identity', 'br', 'gzip;q=0', 'gzip; q=0.0, br', 'x-gzip'])(
    'is sent plain to clients that accept %s',
    async (accepted) => {
      const response = await get({ 'accept-encoding': accepted });
      expect(response.headers.get('content-encoding')).toBeNull();
      expect(await response.json()).toEqual(committedDocument());
    },
  );

  it('is sent once to clients that keep it', async () => {
    const tag = (await get({})).headers.get('etag') ?? '';
    const again = await get({ 'if-none-match': tag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });
});

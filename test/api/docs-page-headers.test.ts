import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { VIEWER_FILE } from '../../src/api/docs/viewer.ts';
import { committedDocument } from '../support/api-document.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let page: string;
let headers: Headers;
beforeAll(async () => {
  server = await startTestServer();
  const response = await fetch(`${server.url}/docs/reference`);
  page = await response.text();
  headers = response.headers;
});

const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script src="([^"]+)"/g)].flatMap((match) => match[1] ?? []);

it('loads from this server alone, behind any proxy path', () => {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
  expect(addresses.length).toBeGreaterThan(1);
  for (const address of addresses) expect(address).toMatch(/^(?:\.{1,2}\/|data:)/);
  expect(page).not.toMatch(/https?:/);
});

it('may run its own scripts and call this server, and nothing else', () => {
  const policy = headers.get('content-security-policy')?.split('; ');
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]),
  );
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

it('loads the viewer from an immutable address that is cached for a year', async () => {
  const [bundle = ''] = scriptsOf(page);
  expect(bundle).toMatch(/scalar-\d+\.\d+\.\d+\.js$/);
  const response = await fetch(new URL(bundle, `${server.url}/docs/reference`));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/javascript');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await response.text()).length).toBeGreaterThan(1_000_000);
});

it('commits the viewer of the package (else: npm run generate:viewer)', () => {
  const entry = path.dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference')));
  const { version } = JSON.parse(readFileSync(path.join(entry, '../package.json'), 'utf8'));
  expect(VIEWER_FILE).toContain(`scalar-${version}.js`);
  const script = readFileSync(path.join(entry, 'browser/standalone.js'));
  expect(gunzipSync(readFileSync(VIEWER_FILE)).equals(script)).toBe(true);
});

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

it('disables every feature of the viewer that would contact other hosts', async () => {
  const [, start = ''] = scriptsOf(page);
  const script = await (await fetch(new URL(start, `${server.url}/docs/reference`))).text();
  const settings = JSON.parse(script.slice(script.indexOf('{'), script.lastIndexOf('}') + 1));
  expect(settings).toMatchObject({
    url: './openapi.json',
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    agent: { disabled: true },
    mcp: { disabled: true },
  });
  expect(script).not.toMatch(/https?:/);
});

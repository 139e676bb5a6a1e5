import { beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let page: string;
let headers: Headers;
beforeAll(async () => {
  server = await startTestServer();
  const response = await fetch(`${server.url}/docs`);
  page = await response.text();
  headers = response.headers;
});

const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script src="([^"]+)"/g)].flatMap((match) => match[1] ?? []);

it('loads from this server alone, behind any proxy path', () => {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
  expect(addresses.length).toBeGreaterThan(1);
  for (const address of addresses) expect(address).toMatch(/^(?:\.\/|data:)/);
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
  const response = await fetch(new URL(bundle, `${server.url}/docs`));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/javascript');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await response.text()).length).toBeGreaterThan(1_000_000);
});

it('disables every feature of the viewer that would contact other hosts', async () => {
  const [, start = ''] = scriptsOf(page);
  const script = await (await fetch(new URL(start, `${server.url}/docs`))).text();
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

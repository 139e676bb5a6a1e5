import type { BrowserContext } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { startChromium } from '../support/chromium.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let browser: BrowserContext;
beforeAll(async () => {
  server = await startTestServer();
  browser = await startChromium();
});

it('shows the operations, runs one, logs no error, and contacts no other host', async () => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http') || protocol.startsWith('ws')) hosts.add(host);
  });

  await page.goto(`${server.url}/docs#tag/events/POST/v2/events/get`);
  await page.getByRole('heading', { name: 'Get events', exact: true }).first().waitFor();
  expect(complaints).toEqual([]);

  await page
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click();
  const answered = page.waitForResponse(`${server.url}/v2/events/get`);
  await page.getByRole('button', { name: /^Send/ }).first().click();
  // No credentials were filled in. The test only needs a readable answer.
  expect((await answered).status()).toBe(403);
  expect([...hosts]).toEqual([new URL(server.url).host]);
});

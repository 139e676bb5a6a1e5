import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { buildSite } from '../../src/docs/build-site.ts';
import { startChromium, watchedPage } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';

await buildSite();
const server = await startTestServer();
const browser = await startChromium();

async function open(address: string, width?: number) {
  const watched = await watchedPage(browser, width);
  await watched.page.goto(server.url + address);
  return watched;
}

const SHOWN = [
  '/docs',
  '/docs/quickstart',
  '/docs/configuration',
  '/docs/operations',
  '/docs/operations/commentAnnotations.get',
  '/docs/event-types/comment.add',
  '/docs/subscriptions/comments.changes',
];

it.each(SHOWN)(
  '%s fits narrow and wide screens, is accessible in light and dark, and loads nothing else',
  async (path) => {
    const { page, complaints, hosts } = await open(path, 390);
    const problemsIn = async (choose = (axe: AxeBuilder) => axe) => {
      const axe = choose(new AxeBuilder({ page }));
      // The navigation is the same on each page, and has hundreds of links.
      const { violations } = await (path === SHOWN[0] ? axe : axe.exclude('nav')).analyze();
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    };
    const contrast = 'color-contrast';
    expect(await problemsIn((axe) => axe.disableRules(contrast)), '390').toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await problemsIn(), '1440').toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    // Schemes differ in colours alone.
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await problemsIn((axe) => axe.withRules(contrast)), 'dark').toEqual([]);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(server.url).host]);
  },
);

const overflowOf = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

it('the search loads its index when it gets the focus, and leads to operations and sections', async () => {
  const { page, complaints } = await open('/docs/quickstart');
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  expect(requested).toEqual([]);
  await page.keyboard.press('/');
  await page.keyboard.type('idempotency');
  const results = page.locator('#results a');
  await results.first().waitFor();
  expect(requested).toContain('/docs/assets/search.json');
  expect(await results.first().innerText()).toContain('Idempotency');

  for (const [query, address] of [
    ['crdt/update', '/docs/operations/crdt.update'],
    ['commentAnnotations.add', '/docs/operations/commentAnnotations.add'],
    ['OUT_OF_RANGE', '/docs/failures/OUT_OF_RANGE'],
    ['SMTP_URL', '/docs/configuration'],
    ['install yjs', '/docs/client#install'],
    ['mentoin', ''],
  ] as const) {
    await page.locator('#query').fill(query);
    const hrefs = () =>
      results.evaluateAll((links) => links.map((link) => Reflect.get(link, 'href')));
    await eventually(async () => expect((await hrefs()).join()).toContain(server.url + address));
  }
  await page.locator('#query').fill('webhook signature');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/webhook/i);
  expect(complaints).toEqual([]);
});

it('examples show the chosen language on every page, and are copied', async () => {
  const { page } = await open('/docs/operations/documents.get');
  await browser.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await page.getByRole('button', { name: 'Python' }).click();
  await page.goto(`${server.url}/docs/operations/users.get`);
  const shown = page.locator('.examples pre:visible');
  expect(await shown.count()).toBe(1);
  expect(await shown.innerText()).toContain('import json, os, urllib.request');
  await page.locator('.examples').getByRole('button', { name: 'Copy' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.trim()).toBe((await shown.innerText()).trim());
});

it('the theme follows the system until it is chosen, and then stays', async () => {
  const { page } = await open('/docs');
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await background();
  await page.getByLabel('Colours').selectOption('Light');
  const light = await background();
  expect(light).not.toBe(dark);
  await page.goto(`${server.url}/docs/comments`);
  expect(await background()).toBe(light);
  await page.evaluate(() => localStorage.clear());
});

it('a printed page has the width of the paper, and the whole of each example', async () => {
  const { page } = await open('/docs/client', 800);
  await page.emulateMedia({ media: 'print' });
  expect((await page.locator('main').boundingBox())?.width).toBeGreaterThan(700);
  const hidden = await page
    .locator('pre')
    .evaluateAll((all) => all.map((pre) => pre.scrollWidth - pre.clientWidth));
  expect(Math.max(...hidden)).toBe(0);
});

it('the navigation opens from a menu on narrow screens', async () => {
  const { page } = await open('/docs/comments', 390);
  const link = page.getByRole('navigation').getByRole('link', { name: 'Webhooks' });
  expect(await link.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Menu' }).click();
  await link.click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

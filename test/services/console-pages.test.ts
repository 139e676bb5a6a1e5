import { AxeBuilder } from '@axe-core/playwright';
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { MAKER, peopleOf } from '../../examples/demo/company.ts';
import { seedDemo } from '../../examples/demo/seed-demo.ts';
import { watchedPage } from '../support/chromium.ts';
import { startConsole, untilLoaded } from '../support/console-browser.ts';
import { organize } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';

/** Every page of the console, on a server with a company on it, as the administrator sees it. */
const settings = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
const { server, browser, signIn, keyPage } = await startConsole(settings);
const { url, databaseUrl, quickstart } = server;
const { apiKey, authToken } = quickstart;
await seedDemo({ url, apiKey, authToken, databaseUrl, annotations: 120 });
const first = await browser.newPage();
await signIn(first);
await first.close();

const PAGES = [
  'overview',
  'requests',
  'playground',
  'playground?tab=api',
  'playground?tab=agent',
  'webhooks',
  'events',
  'directory',
  `access?organization=${MAKER}&user=${peopleOf(MAKER)[0]?.userId}`,
  'live-documents',
  'feedback',
  'memory',
  'settings',
  'settings?tab=behaviour',
  'settings?tab=notifications',
  'settings?tab=audit',
];

const OF_SERVER = ['overview', 'requests'];
const addressOf = (name: string) =>
  OF_SERVER.some((page) => name.startsWith(page)) ? `${url}/console/${name}` : keyPage(name);

async function open(
  name: string,
  { width = 1440, prepare = async (_page: Page): Promise<unknown> => undefined } = {},
) {
  const watched = await watchedPage(browser, width);
  await prepare(watched.page);
  await watched.page.goto(addressOf(name));
  await watched.page.getByRole('heading', { level: 1 }).waitFor();
  return watched;
}

async function seriousProblems(page: Page, choose = (axe: AxeBuilder) => axe): Promise<string[]> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
  const { violations } = await choose(axe).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

it.each(PAGES)(
  '%s fits narrow and wide screens, is accessible in light and dark, and loads nothing else',
  async (name) => {
    const { page, complaints, hosts } = await open(name, { width: 390 });
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await untilLoaded(page);
      // Colours that are still changing have another contrast.
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      expect(await seriousProblems(page), `${width} pixels`).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${width} pixels`).toBeLessThanOrEqual(0);
    }
    // Schemes differ in colours alone.
    await page.emulateMedia({ colorScheme: 'dark' });
    const ofColours = await seriousProblems(page, (axe) => axe.withRules('color-contrast'));
    expect(ofColours, 'dark').toEqual([]);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(server.url).host]);
  },
);

const details = { requestId: 'request-of-this-test' };
const data = { code: 'SERVICE_UNAVAILABLE', status: 'UNAVAILABLE', httpStatus: 503, details };
const FAILURE = { error: { json: { message: 'The database is away.', code: -32603, data } } };

/** Fails some calls of a page. A request may hold several calls. */
const failCalls = (fails: (name: string) => boolean) => async (page: Page) =>
  page.route('**/console/trpc/**', async (route: Route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const calls = pathname.slice('/console/trpc/'.length).split(',');
    const isNeeded = !calls.every(fails);
    const real = isNeeded ? [await (await route.fetch()).json()].flat() : [];
    const answers = calls.map((call, n) => (fails(call) ? FAILURE : real[n]));
    await route.fulfill({
      status: isNeeded ? 200 : 503,
      headers: { 'retry-after': '0' },
      json: searchParams.has('batch') ? answers : answers[0],
    });
  });

/** Answers an operation of the console by the body of the request. */
const answerCalls = (name: RegExp, answer: (body: string) => unknown) => async (page: Page) =>
  page.route(name, (route) => {
    const request = route.request();
    const json = { result: { data: { json: answer(request.postData() ?? '') } } };
    return route.fulfill({ json: request.url().includes('batch=1') ? [json] : json });
  });

/** Holds the requests of a page back. @returns what lets them go */
async function hold(page: Page, address: RegExp, isHeld = (_body: string) => true) {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (isHeld(route.request().postData() ?? '')) await promise;
    await route.continue();
  });
  return resolve;
}

/** All pages but the runner of operations, which asks nothing by itself. */
const ASKING = PAGES.filter((name) => !name.includes('tab=api'));

it.each(ASKING)(
  '%s says that a request failed, with its id, and can be tried again',
  async (name) => {
    // The page needs its keys to show anything.
    const prepare = failCalls((call) => call !== 'console.keys.list');
    const { page, complaints } = await open(name, { prepare });
    await page.getByText('The database is away.').first().waitFor();
    await page.getByText('request-of-this-test').first().waitFor();
    const scripts = complaints.filter((text) => !text.includes('503'));
    expect(scripts).toEqual([]);
  },
);

it('the page of requests ignores invalid numbers in its address', async () => {
  const { page } = await open('requests?slowerThan=fast&until=1e17');
  await page.getByRole('region', { name: 'Requests, newest first' }).waitFor();
});

it('a filter shows what the address names, also if it is not among the choices', async () => {
  const { page } = await open('requests?operation=rewriter.stream');
  const operation = page.getByRole('combobox', { name: 'Operation' });
  await eventually(async () => expect(await operation.inputValue()).toBe('rewriter.stream'));
});

it('a question before a deletion and the notice after it are accessible', async () => {
  await organize(server, 'brief');
  const { page } = await open('directory?organization=brief');
  // Colours that are still changing have another contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: /Delete/ });
  await question.waitFor();
  expect(await seriousProblems(page)).toEqual([]);
  await question.getByRole('button', { name: /Delete/ }).click();
  // The question has a button of this name, too, until it has closed.
  await question.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Close' }).waitFor();
  expect(await seriousProblems(page)).toEqual([]);
});

it('a list of 100,000 rows has only those in sight in the page, wherever one scrolls', async () => {
  const ROWS = 100_000;
  const events = Array.from({ length: ROWS }, (_, n) => ({
    id: `event-${n}`,
    type: 'comment.add',
    organizationId: MAKER,
    documentId: `document-${n % 100}`,
    at: 1_700_000_000_000 - n,
  }));
  const prepare = answerCalls(/console\.events\.list/, () => ({ data: events }));
  const { page } = await open('events?live=off', { prepare });
  const list = page.getByRole('region', { name: 'Events, newest first' });
  for (const index of [0, 50_000, ROWS - 1]) {
    const part = index / (ROWS - 1);
    await list.evaluate((box, to) => {
      box.scrollTop = to * (box.scrollHeight - box.clientHeight);
    }, part);
    await list.getByText(`event-${index}`, { exact: true }).waitFor();
    expect(await list.locator('tr').count()).toBeLessThan(60);
  }
});

it('a list reads on by itself over pages without a match', async () => {
  const place = { organizationId: MAKER, documentId: null };
  const event = { id: 'found', type: 'comment.add', ...place, at: 1 };
  const prepare = answerCalls(/console\.events\.list/, (body) =>
    body.includes('older') ? { data: [event] } : { data: [], nextPageToken: 'older' },
  );
  const { page } = await open('events', { prepare });
  await page.getByText('found', { exact: true }).waitFor();
});

it('a list says that it does not follow new entries while older ones are shown', async () => {
  const facts = { at: 1_700_000_000_000, requestId: 'r', operation: 'users.get', apiKey };
  const request = { ...facts, status: 200, durationMs: 1, statements: 1 };
  const requests = (from: number) =>
    Array.from({ length: 40 }, (_, n) => ({ id: `request-${from + n}`, ...request }));
  const prepare = answerCalls(/console\.requests\.list/, (body) =>
    body.includes('older') ? { data: requests(40) } : { data: requests(0), nextPageToken: 'older' },
  );
  const { page } = await open('requests', { prepare });
  const list = page.getByRole('region', { name: 'Requests, newest first' });
  await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await page.getByText('80 shown').waitFor();
  await page.getByRole('button', { name: 'Back to the newest' }).click();
  await page.getByText('40 shown').waitFor();
});

it('a search keeps what is typed while an earlier text is applied', async () => {
  const { page } = await open('directory');
  const search = page.getByRole('textbox', { name: 'Search everywhere' });
  await search.pressSequentially('Ada ');
  await page.waitForURL('**q=Ada');
  await search.pressSequentially('Lovelace');
  expect(await search.inputValue()).toBe('Ada Lovelace');
});

it('an endpoint has no state before its health is known', async () => {
  const prepare = failCalls((name) => name === 'console.webhooks.health');
  const { page } = await open('webhooks', { prepare });
  await page.getByText('The database is away.').first().waitFor();
  await untilLoaded(page);
  expect(await page.getByText('unused').count()).toBe(0);
});

it('the audit log says of an action whether it was refused or failed', async () => {
  const facts = { person: 'Ada', role: 'owner', operation: 'users.add', apiKey, subject: {} };
  const action = { ...facts, at: 1, requestId: 'r' };
  const data = [403, 503].map((status) => ({ ...action, id: String(status), status }));
  const { page } = await open('settings?tab=audit', {
    prepare: answerCalls(/console\.audit\.list/, () => ({ data })),
  });
  await page.getByText('refused (403)').waitFor();
  await page.getByText('failed (503)').waitFor();
});

it('the numbers of the overview name their period, also while those of another period are read', async () => {
  const { page } = await open('overview');
  const release = await hold(page, /console\.overview\.read/, (body) => body.includes('day'));
  await page.getByText('in the last hour').waitFor();
  await page.getByText('Last day').click();
  await page.waitForURL('**span=day');
  expect(await page.getByText('in the last hour').count()).toBe(1);
  release();
  await page.getByText('in the last day').waitFor();
});

it('a form keeps the stored secret while its field is empty, and removes it on demand', async () => {
  const config = '/v2/workspace/webhookconfig';
  await server.call(`${config}/update`, { webhookServiceConfig: { authToken: 'c2VjcmV0' } });
  const stored = async () => {
    const { body } = await server.call(`${config}/get`, {});
    return body.result.data.webhookServiceConfig.authToken;
  };
  const { page } = await open('webhooks?tab=basic');
  const save = async () => {
    const saved = page.waitForResponse(/webhookConfig\.update|webhookconfig\/update/);
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await saved).status()).toBe(200);
  };
  const token = page.getByRole('textbox', { name: 'New token' });
  await token.fill('typed and deleted');
  await token.fill('');
  await page.getByRole('textbox', { name: 'URL for raw events' }).fill('http://127.0.0.1:4000/');
  await save();
  expect(await stored()).toBe('c2VjcmV0');
  await page.reload();
  await page.getByRole('checkbox', { name: 'Remove the stored token' }).check();
  await save();
  expect(await stored()).toBe('');
});

it('a form keeps what is changed in it while it saves, and where its result cannot be read', async () => {
  const { page } = await open('settings?tab=behaviour');
  const join = page.getByRole('switch', { name: 'Users join their organization' });
  const wasOn = await join.isChecked();
  const release = await hold(page, /apiKeyConfig\.update|apikeyconfig\/update/);
  const save = page.getByRole('button', { name: 'Save' });
  await page.getByRole('switch', { name: 'Private comments' }).press('Space');
  await save.click();
  await join.press('Space');
  release();
  await page.getByText('Saved.').waitFor();
  expect(await join.isChecked()).toBe(!wasOn);
  await page.route(/apiKeyConfig\.get/, (route) => route.abort());
  await save.click();
  await page.getByText('The server cannot be reached.').first().waitFor();
  expect(await join.isChecked()).toBe(!wasOn);
});

it('a form changes the changed fields alone, also those whose names have dots, and gives them the focus back', async () => {
  const config = '/v2/workspace/activityconfig';
  const triggers = { 'my.app': { 'invoice.paid': true, 'invoice.sent': true } };
  await server.call(`${config}/update`, { activityServiceConfig: { isEnabled: true, triggers } });
  const { page } = await open('settings?tab=notifications');
  const paid = page.getByRole('switch', { name: 'Invoice.paid' });
  await paid.press('Space');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText('Saved.').waitFor();
  await paid.and(page.locator(':focus')).waitFor();
  const { body } = await server.call(`${config}/get`, {});
  const stored = body.result.data.activityServiceConfig.triggers['my.app'];
  expect(stored).toEqual({ 'invoice.paid': false, 'invoice.sent': true });
});

it('the sign-in and the overview load less than 250 KB', async () => {
  const { page } = await watchedPage(browser);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  // Charts are drawn later.
  const charts = new Set<string>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.includes('/draw-chart-')) charts.add(requestId);
  });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!charts.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(`${server.url}/console/overview`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await untilLoaded(page);
  expect(bytes).toBeLessThan(250_000);
});

it('an open page asks the server less than once a second', async () => {
  for (const name of PAGES) {
    const { page } = await open(name, { prepare: (opened) => opened.clock.install() });
    await untilLoaded(page);
    let requests = 0;
    page.on('request', () => requests++);
    await page.clock.runFor(30_000);
    expect(requests, name).toBeLessThan(30);
  }
});

it('a page that cannot be loaded while the server is away can be tried again', async () => {
  const { page } = await open('overview');
  // A page with routes does not use the cache of the browser, either.
  await page.route('**', (route) => route.abort());
  const navigation = page.getByRole('navigation', { name: 'Pages' });
  await navigation.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('This page cannot be loaded').waitFor();
  expect(await navigation.isVisible()).toBe(true);
  await page.unroute('**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

it('a sign-out that fails is reported', async () => {
  const { page } = await open('events');
  await page.route('**/console/session', (route) =>
    route.request().method() === 'DELETE' ? route.abort() : route.continue(),
  );
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
});

it('the overview does not say that all is well while the server cannot be reached', async () => {
  const overview = /console\.overview\.read/;
  const answer = async (route: Route) => {
    const answers = await (await route.fetch()).json();
    for (const { result } of answers)
      if (result.data.json.attention) result.data.json.attention = [];
    return route.fulfill({ json: answers });
  };
  const prepare = async (opened: Page) => {
    await opened.clock.install();
    await opened.route(overview, answer);
  };
  const { page } = await open('overview', { prepare });
  await page.getByText('Nothing needs attention').waitFor();
  await page.unroute(overview);
  await page.route(overview, (route) => route.abort());
  await page.clock.fastForward(15_000);
  await page.getByText('The server cannot be reached.').waitFor();
  expect(await page.getByText('Nothing needs attention').count()).toBe(0);
});

it('a page says that the server cannot be reached when its answer never comes, and can be tried again', async () => {
  const { page } = await open('overview', { prepare: (opened) => opened.clock.install() });
  await untilLoaded(page);
  await page.route('**/console/trpc/console.requests.list*', () => {});
  const called = page.waitForRequest('**/console/trpc/console.requests.list*');
  await page.getByRole('link', { name: 'Requests' }).click();
  await called;
  await page.clock.fastForward(80_000);
  await page.getByRole('alert', { name: 'The server cannot be reached.' }).waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

it('a page says at once that the server cannot be reached while the browser is offline, and reads again afterwards', async () => {
  const { page } = await open('directory');
  await page.getByRole('button', { name: 'Add organization' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add organization' });
  await dialog.getByRole('textbox', { name: 'ID' }).fill('written-offline');
  const session = await page.context().newCDPSession(page);
  const goOffline = (offline: boolean) => {
    const conditions = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    return session.send('Network.emulateNetworkConditions', conditions);
  };
  await goOffline(true);
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('link', { name: 'Castell Studio' }).first().click();
  await page.getByRole('main').getByRole('alert').first().waitFor();
  await goOffline(false);
  await page.getByRole('heading', { name: 'Castell Studio' }).waitFor();
  const { body } = await server.call('/v2/organizations/get', {
    organizationIds: ['written-offline'],
  });
  expect(body.result.data).toEqual([]);
});

it('a dialog takes the focus, Escape closes the top one alone, and the focus returns to what opened it', async () => {
  const { page } = await open(`directory?organization=${MAKER}`);
  const focused = page.locator(':focus');
  const document = page.getByRole('region', { name: 'Documents' }).getByRole('link').first();
  await document.press('Enter');
  await page.getByRole('dialog').getByRole('heading').first().and(focused).waitFor();
  const edit = page.getByRole('button', { name: 'Edit or move' });
  await edit.press('Enter');
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.and(focused).waitFor();
  await name.fill('Another name');
  await page.keyboard.press('Escape');
  const keep = page.getByRole('button', { name: 'Keep editing' });
  await keep.and(focused).waitFor();
  await page.keyboard.press('Escape');
  await keep.waitFor({ state: 'detached' });
  await name.and(focused).waitFor();
  await page.keyboard.press('Escape');
  await keep.and(focused).waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).press('Enter');
  await edit.and(focused).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByRole('button', { name: 'Cancel' }).and(focused).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete' }).and(focused).waitFor();
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByPlaceholder('Go to a page or key').and(focused).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete' }).and(focused).waitFor();
  await page.keyboard.press('Escape');
  await document.and(focused).waitFor();
});

it('a button keeps the focus while it runs, and runs once at a time', async () => {
  const { page } = await open('playground?tab=api');
  let calls = 0;
  page.on('request', (request) => {
    if (request.url().includes('organizations.get')) calls++;
  });
  const release = await hold(page, /organizations\.get/);
  const run = page.getByRole('button', { name: 'Run', exact: true });
  await run.press('Enter');
  await run.and(page.locator('[data-loading]')).waitFor();
  await page.keyboard.press('Enter');
  release();
  await page.getByRole('region', { name: 'Response', exact: true }).waitFor();
  await run.and(page.locator(':focus')).waitFor();
  expect(calls).toBe(1);
});

it('the navigation of a phone takes the focus only while it is shown', async () => {
  const { page } = await open('directory', { width: 390 });
  const focused = page.locator(':focus');
  const account = page.getByRole('button', { name: 'Account' });
  await account.press('Tab');
  await page.getByRole('button', { name: 'API calls' }).and(focused).waitFor();
  await page.getByRole('button', { name: 'Navigation', expanded: false }).press('Enter');
  await page.getByRole('button', { name: 'Navigation', expanded: true }).waitFor();
  await account.press('Tab');
  await page.getByRole('link', { name: 'Overview' }).and(focused).waitFor();
});

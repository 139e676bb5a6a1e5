import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { watchedPage } from '../support/chromium.ts';
import { credentialsOf } from '../support/console.ts';
import { startConsole } from '../support/console-browser.ts';
import { organize } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';
import { startOpenIdProvider } from '../support/open-id-provider.ts';
import { respondWith, startReceiver } from '../support/receiver.ts';
import { createEndpoint, setAdvancedWebhooks } from '../support/webhooks.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

/** Acts of operators in the console, each in a real browser. */

const LONG = 'A'.repeat(120);
const provider = await startOpenIdProvider();
const settings = { ...provider.environment, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
const { server, browser, signIn, keyPage } = await startConsole(settings);
await browser.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
/** A receiver that answers 500 to all events but examples. */
const receiver = await startReceiver((request, response) =>
  respondWith(request.event.id.startsWith('example-') ? 200 : 500)(request, response),
);
await setAdvancedWebhooks(server, server.keyHeaders, true);
await createEndpoint(server, server.keyHeaders, { url: receiver.url, description: 'receiver' });
const organizations = [{ organizationId: 'acme', organizationName: LONG }];
await server.ok('/v2/organizations/add', { organizations });
const users = [{ userId: 'ada', name: 'Ada Lovelace' }];
await server.ok('/v2/users/add', { organizationId: 'acme', users });

/** A page whose cookies end with it. */
async function newPage(width?: number): Promise<Page> {
  whenTestEnds(() => browser.clearCookies());
  return (await watchedPage(browser, width)).page;
}

async function open(address: string, width?: number): Promise<Page> {
  const page = await newPage(width);
  await signIn(page);
  await page.goto(address);
  return page;
}

const PAGES = ['webhooks?tab=deliveries', 'access?organization=acme', 'settings?tab=behaviour'];

it('the console leads to the sign-in when the session has ended, and back to the same page', async () => {
  const overview = `${server.url}/console/overview`;
  const page = await open(overview);
  const { adminToken } = credentialsOf(server).administrator;
  for (const address of [overview, ...PAGES.map(keyPage)]) {
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await browser.clearCookies();
    await page.getByRole('textbox', { name: 'Admin token' }).fill(adminToken);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(address);
  }
});

it('the console leads back through single sign-on, and disables for readers what they cannot do', async () => {
  provider.person = { email: 'reader@acme.example', email_verified: true };
  const page = await newPage();
  const address = keyPage('directory?organization=acme');
  await page.goto(address);
  await page.getByText('Continue with single sign-on').click();
  await page.waitForURL(address);
  const add = page.getByRole('button', { name: 'Add document' });
  await add.waitFor();
  expect(await add.isDisabled()).toBe(true);
  expect(await add.getAttribute('title')).toBe('Readers cannot change anything.');
  await page.goto(keyPage('settings?tab=behaviour'));
  const join = page.getByRole('switch', { name: 'Private comments' });
  await join.waitFor();
  expect(await join.isDisabled()).toBe(true);
});

it('the console copies calls that a shell can make, for the key and for the workspace', async () => {
  const page = await open(keyPage('settings'));
  const { authToken, workspaceAuthToken } = server.quickstart;
  const run = async (copy: () => Promise<void>) => {
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await copy();
    const read = () => page.evaluate(() => navigator.clipboard.readText());
    const command = await eventually(async () => {
      const text = await read();
      expect(text).toContain('curl');
      return text;
    });
    const tokens = { AUTH_TOKEN: authToken, WORKSPACE_AUTH_TOKEN: workspaceAuthToken };
    const env = { ...process.env, ...tokens };
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
    return JSON.parse(stdout);
  };
  await page.getByRole('button', { name: 'API calls' }).click();
  const calls = page.getByRole('dialog', { name: 'API calls of this page' });
  const read = calls.getByRole('region', { name: 'workspaces.get' });
  const workspace = await run(() => read.getByText('Copy as curl').click());
  expect(workspace.result, JSON.stringify(workspace)).toBeDefined();
  await page.keyboard.press('Escape');
  await page.locator('.console-row a').first().click();
  const first = await run(() => page.getByRole('dialog').getByText('Copy as curl').click());
  expect(first.result, JSON.stringify(first)).toBeDefined();
});

it('the console opens a live document at the editor in which people type', async () => {
  const organizationId = await organize(server, 'live', { documents: ['plan'] });
  for (const editorId of ['a-first', 'b-typed']) {
    const editor = { organizationId, documentId: 'plan', editorId };
    await server.ok('/v2/crdt/add', { ...editor, type: 'text', data: 'Words' });
  }
  const page = await open(keyPage('live-documents?organization=live&document=plan'));
  await page.locator('dd', { hasText: 'b-typed' }).waitFor();
});

it.each([
  ['webhooks?delivery=none', 'does not exist'],
  ['webhooks?endpoint=none', 'Endpoint none not found'],
  ['events?id=none', 'does not exist'],
  ['feedback?annotation=none', 'not found'],
  ['memory?tab=judgments&judgment=none', 'not found'],
  ['settings?opened=none', 'API key none not found'],
  ['directory?organization=12345678901234567890', 'Organization 12345678901234567890 not found'],
  ['../none/events', 'API key not found'],
])('%s says that there is no such thing', async (address, text) => {
  const page = await open(keyPage(address));
  await page.getByText(text).first().waitFor();
});

it('the console erases only a person who exists, and whose ID was typed', async () => {
  const page = await open(keyPage('settings?tab=data'));
  const user = page.getByLabel('User to erase').first();
  const erase = page.getByRole('dialog').getByRole('button', { name: 'Erase', exact: true });
  const ask = async (userId: string) => {
    await user.fill(userId);
    await user.blur();
    await page.getByRole('button', { name: 'Erase…' }).click();
  };
  await ask('nobody-at-all');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  expect(await erase.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await ask('ada');
  await page.getByRole('dialog').getByText('Ada Lovelace').waitFor();
  expect(await erase.isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Type ada to confirm' }).fill('ada');
  expect(await erase.isDisabled()).toBe(false);
});

it('the console sends an example to the chosen endpoint, and stores nothing', async () => {
  const count = async () =>
    (await server.call('/v2/events/get', {})).body.result.data.events?.length;
  const before = await count();
  const page = await open(keyPage('webhooks'));
  await page.locator('.console-row a').first().click();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('The endpoint responded with 200').waitFor();
  expect(receiver.received.some(({ event }) => event.type === 'comment.add')).toBe(true);
  expect(await count()).toBe(before);
});

it('the console asks before leaving a page, or going back, loses what is typed', async () => {
  const page = await open(keyPage('settings?tab=behaviour'));
  await page.getByRole('switch', { name: 'Private comments' }).press('Space');
  const leave = page.getByRole('navigation', { name: 'Pages' }).getByText('Directory');
  const keep = page.getByRole('button', { name: 'Keep editing' });
  await leave.click();
  await keep.click();
  expect(page.url()).toContain('behaviour');
  await leave.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
  await page.waitForURL('**/directory');
  await page.getByRole('link', { name: LONG }).first().click();
  await page.getByRole('button', { name: 'Add folder' }).click();
  const id = page.getByRole('dialog').getByRole('textbox', { name: 'ID' });
  await id.fill('typed');
  await page.goBack();
  await keep.click();
  expect(await id.inputValue()).toBe('typed');
});

it('the console keeps what is typed in a form while one signs in again in another tab', async () => {
  const page = await open(keyPage('directory'));
  await page.getByRole('button', { name: 'Add organization' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'ID' }).fill('typed');
  await browser.clearCookies();
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  const signInLink = ended.getByRole('link', { name: 'Open the sign-in' });
  await signInLink.and(page.locator(':focus')).waitFor();
  const [other] = await Promise.all([browser.waitForEvent('page'), signInLink.click()]);
  const { adminToken } = credentialsOf(server).administrator;
  await other.getByRole('textbox', { name: 'Admin token' }).fill(adminToken);
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await other.close();
  await ended.waitFor({ state: 'detached' });
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name: 'typed' }).waitFor();
});

it('the console shows rows as links, and deliveries that are repeated as such, also on phones', async () => {
  const page = await open(keyPage('webhooks?tab=deliveries'), 390);
  const row = page.locator('.console-row', { hasText: 'retrying' }).first();
  for (const text of ['receiver', '500']) await row.getByText(text).first().waitFor();
  const [opened] = await Promise.all([
    browser.waitForEvent('page'),
    row.locator('a').click({ modifiers: ['ControlOrMeta'] }),
  ]);
  await opened.getByRole('dialog').getByText('Request body').first().waitFor();
  await opened.close();
});

it('the console fits a long name and a long ID on a phone, and breaks it in the explanation of access', async () => {
  await organize(server, LONG);
  await server.ok('/v2/users/add', { organizationId: LONG, users: [{ userId: 'ada' }] });
  const page = await open(keyPage('events'), 390);
  for (const organizationId of ['acme', LONG]) {
    await page.goto(keyPage(`directory?organization=${organizationId}`));
    await page.getByRole('heading', { name: LONG }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
  }
  await page.goto(keyPage(`access?organization=${LONG}&user=ada`));
  const answer = page.locator('.mantine-Alert-root', { hasText: LONG });
  await answer.waitFor();
  const hidden = await answer.evaluate((box) => box.scrollWidth - box.clientWidth);
  expect(hidden).toBeLessThanOrEqual(0);
});

it('the console can be used by the keyboard: a link past the navigation, and a palette with a name', async () => {
  const page = await open(keyPage('events'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
});

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { watchedPage } from '../support/chromium.ts';
import { credentialsOf, signInTo } from '../support/console.ts';
import { startConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

const { server, browser } = await startConsole();
const { cookie } = await signInTo(server.url, credentialsOf(server).operator);
const [name = '', value = ''] = cookie.split(/=(.*)/s);
await browser.addCookies([{ name, value, url: server.url }]);

async function open(path: string) {
  const watched = await watchedPage(browser, 1440, ['error']);
  await watched.page.goto(`${server.url}/console${path}`);
  return watched;
}

const textOf = (page: Page, name: string) =>
  page.getByRole('textbox', { name: `edited by ${name}` });

describe('the playground', () => {
  it('opens on a fresh server, shows each person what the other types, and shows the event of a call', async () => {
    const { page, complaints } = await open('/');
    await page.waitForURL('**/playground');
    await page.getByRole('button', { name: 'Create the playground' }).click();
    const editable = page.locator('[contenteditable="true"]');
    await textOf(page, 'Ada Lovelace').and(editable).pressSequentially('Typed by Ada. ');
    await textOf(page, 'Grace Hopper').getByText('Typed by Ada. ').waitFor();
    await page.locator('.play-caret', { hasText: 'Ada' }).waitFor();
    await page.getByText('Also here: Grace Hopper').waitFor();

    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('region', { name: 'The event comment_annotation.add' }).waitFor();
    expect(await page.getByRole('region', { name: 'curl' }).textContent()).toContain(
      `curl -sS ${server.url}/v2/commentannotations/add`,
    );
    expect(await page.getByText('Is June still right?').count()).toBeGreaterThanOrEqual(2);
    await page.getByRole('link', { name: 'Create an endpoint' }).waitFor();

    await page.getByRole('button', { name: 'Make Grace a viewer' }).click();
    await eventually(async () =>
      expect(await textOf(page, 'Grace Hopper').getAttribute('contenteditable')).toBe('false'),
    );
    expect(complaints).toEqual([]);
  });

  it('says that the session has ended, and goes on after the next sign-in', async () => {
    const { page } = await open(`/key/${server.quickstart.apiKey}/playground`);
    await page.getByText('Live', { exact: true }).first().waitFor();
    // The frame of the page would lead to the sign-in.
    await page.route('**/console/session', (route) => route.abort());
    await browser.clearCookies();
    await server.ok('/v2/auth/revoke_tokens', { userIds: ['ada', 'grace'] });
    await page.getByText('The session has ended').first().waitFor();
    await browser.addCookies([{ name, value, url: server.url }]);
    await page.getByText('Live', { exact: true }).first().waitFor();
  });

  it('calls the tools of an agent, with what its person may do', async () => {
    const { page, complaints } = await open('/');
    await page.waitForURL('**/playground');
    await page.getByRole('tab', { name: 'Agent' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const response = page.getByRole('region', { name: 'Response', exact: true });
    await response.getByText('Launch plan').waitFor();
    // Descriptions mark names of fields with backticks.
    expect(await page.getByRole('main').textContent()).not.toContain('`');
    expect(complaints).toEqual([]);
  });

  it('is replaced by the overview as the first page once there is more than the demo', async () => {
    await server.call('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
    const { page, complaints } = await open('/');
    await page.waitForURL('**/overview');
    await page.getByText('Nothing needs attention').waitFor();
    expect(complaints).toEqual([]);
  });
});

import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { signInLink } from '../../src/console/session/used-once.ts';
import { startChromium } from '../support/chromium.ts';
import { requireBuiltConsole } from '../support/console.ts';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Tokens of people, as the administrator ends them. */

let server: TestServer;
let browser: BrowserContext;
beforeAll(async () => {
  server = await startTestServer();
  await requireBuiltConsole(server.url);
  browser = await startChromium();
  const page = await browser.newPage();
  await page.goto(signInLink(server.app.services));
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.close();
  await makePlan(server);
});

/** Opens an address under the key. */
async function open(address: string): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(`${server.url}/console/key/${server.quickstart.apiKey}/${address}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

it('revokes the tokens of one person, whose editor closes', async () => {
  const token = await userToken(server, 'ada', { accessRole: 'editor' });
  const editor = await openEditor({ url: server.url, name: 'acme/plan/body', token });
  const page = await open('directory?organization=acme&open=user:ada');
  await page.getByRole('button', { name: 'Revoke tokens' }).click();
  await page
    .getByRole('dialog', { name: 'Revoke the tokens' })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await page.getByText('The tokens of ada were revoked.').waitFor();
  await eventually(() => expect(editor.refusals[0]).toBe('TOKEN_REVOKED'));
});

import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { signInLink } from '../../src/console/session/one-time-ids.ts';
import { REBOUND_HOST, watchedPage } from '../support/chromium.ts';
import { credentialsOf, signInTo } from '../support/console.ts';
import { startConsole, untilLoaded } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';
import { HOSTILE_MARK, PLACE, storeHostileTexts, THREAD, USER } from '../support/hostile-texts.ts';
import { listen } from '../support/listen.ts';

const { server, browser, signIn } = await startConsole();

const link = (search = '') => {
  const secret = signInLink(server.app.services).split('#')[1];
  return `${server.url}/console/sign-in${search}#${secret}`;
};

const signedIn = (page: Page) =>
  page.evaluate(async () => (await (await fetch('/console/session')).json()).signedIn);

describe('the sign-in page', () => {
  it('takes a link once, and forgets its secret', async () => {
    const { page } = await watchedPage(browser);
    const once = link();
    await page.goto(once);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' });
    expect(page.url()).not.toContain('#');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await page.goto('about:blank');
    await browser.clearCookies();
    await page.goto(once);
    await page.getByText('A link works once').waitFor();
    expect(page.url()).not.toContain('#');
    expect(await signedIn(page)).toBeNull();
  });

  it('shows why a provider was refused, and no text of the address', async () => {
    const { page } = await watchedPage(browser);
    await page.goto(`${server.url}/console/sign-in?refused=domain`);
    await page.getByText('Email addresses of this domain may not sign in.').waitFor();
    await page.goto(`${server.url}/console/sign-in?refused=Call+0900+1234`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByText('0900').count()).toBe(0);
  });

  it.each(['//evil.example/', '/\\evil.example/', 'javascript:alert(1)'])(
    'leads to its own pages only, not to %s',
    async (next) => {
      const { page, hosts } = await watchedPage(browser);
      await page.goto(link(`?next=${encodeURIComponent(next)}`));
      await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' });
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([...hosts]).toEqual([new URL(server.url).host]);
    },
  );
});

it('an open page is left for the sign-in once the API key of its session is disabled', async () => {
  const { apiKey } = server.quickstart;
  const { page } = await watchedPage(browser);
  const { cookie } = await signInTo(server.url, credentialsOf(server).operator);
  const [name = '', value = ''] = cookie.split(/=(.*)/s);
  await browser.addCookies([{ name, value, url: server.url }]);
  await page.goto(`${server.url}/console/key/${apiKey}/events`);
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  const disable = (disabled: boolean) =>
    server.call('/v2/workspace/apikey/update', { apiKey, disabled }, server.workspaceHeaders);
  expect((await disable(true)).status).toBe(200);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await disable(false);
  await browser.clearCookies();
});

describe('another site', () => {
  it('reaches neither the metrics nor the console by a name that leads to this machine', async () => {
    const { page } = await watchedPage(browser);
    await page.goto(`${server.url.replace('127.0.0.1', REBOUND_HOST)}/healthz`);
    const statuses = await page.evaluate(
      async (credentials) => {
        const headers = { 'x-console': '1', 'content-type': 'application/json' };
        const statusOf = async (path: string, init?: RequestInit) =>
          (await fetch(path, init)).status;
        return [
          await statusOf('/metrics'),
          await statusOf('/console/session', { method: 'POST', headers, body: credentials }),
          await statusOf('/console/trpc/console.keys.list', { headers }),
        ];
      },
      JSON.stringify(credentialsOf(server).administrator),
    );
    expect(statuses).toEqual([403, 403, 403]);
    // The metrics are refused to other origins, also at the IP address, and served to pages of their own origin.
    const read = (address: string) =>
      page.evaluate(async (at) => (await fetch(at)).status, `${address}/metrics`);
    expect(await read(server.url)).toBe(403);
    await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/healthz`);
    expect(await page.evaluate(async () => (await fetch('/metrics')).status)).toBe(200);
  });

  /** Opens a page of another host, which the browser treats as another site than the console. */
  async function openOtherSite(html: string): Promise<Page> {
    const site = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end(html),
    );
    const address = new URL(await listen(site));
    address.hostname = 'localhost';
    const { page } = await watchedPage(browser);
    await page.goto(address.href);
    return page;
  }

  it('cannot put the console into a frame', async () => {
    await signIn((await watchedPage(browser)).page);
    const page = await openOtherSite(`<iframe src="${server.url}/console/"></iframe>`);
    await eventually(() => expect(page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/'));
  });

  it('cannot call it with the cookie of a signed-in person', async () => {
    const { page: own } = await watchedPage(browser);
    await signIn(own);
    const page = await openOtherSite(
      `<form method="post" enctype="text/plain" action="${server.url}/console/session">
       <input name='{"adminToken":"x","a":"' value='"}'></form>`,
    );
    const outcomes = await page.evaluate(async (url) => {
      const send = (path: string, init: RequestInit) =>
        fetch(url + path, { credentials: 'include', ...init }).then(
          ({ status }) => status,
          () => 'blocked',
        );
      const headers = { 'x-console': '1', 'content-type': 'application/json' };
      return [
        await send('/console/session', { method: 'DELETE', headers }),
        await send('/console/session', { method: 'DELETE' }),
        await send('/console/trpc/users.add', { method: 'POST', headers, body: '{}' }),
        await send('/console/trpc/console.keys.list', {}),
        await send('/console/session', {}),
      ];
    }, server.url);
    expect(outcomes).toEqual(Array(5).fill('blocked'));
    const [posted] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/console/session')),
      page.evaluate(() => document.forms[0]?.submit()),
    ]);
    expect(posted.status()).toBeGreaterThanOrEqual(400);
    expect(await signedIn(own)).toMatchObject({ role: 'administrator' });
  });
});

describe('the pages', () => {
  it('run no script and load nothing that was put into them', async () => {
    const { page } = await watchedPage(browser);
    await signIn(page);
    const blocked = await page.evaluate(async () => {
      const directives: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) =>
        directives.push(event.effectiveDirective),
      );
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.hostile=1">');
      const script = document.createElement('script');
      script.textContent = 'window.hostile = 1';
      document.body.append(script);
      await fetch('https://evil.example/').catch(() => undefined);
      await new Promise((done) => setTimeout(done));
      return { directives, hostile: (window as { hostile?: number }).hostile };
    });
    expect(blocked.hostile).toBeUndefined();
    expect(blocked.directives).toEqual(
      expect.arrayContaining(['script-src-attr', 'script-src-elem', 'connect-src']),
    );
  });

  it('show stored texts as texts, whatever is in them', async () => {
    await storeHostileTexts(server);
    const { page } = await watchedPage(browser);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) complaints.push(message.text());
    });
    await signIn(page);
    const addresses = await addressesOf(page);
    expect(addresses.length).toBeGreaterThan(15);
    let shown = 0;
    for (const address of addresses) {
      await page.goto(server.url + address);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await untilLoaded(page);
      if (await showsHostileTexts(page)) shown++;
      const row = page.locator('.console-row a').first();
      if ((await row.count()) > 0) {
        await row.press('Enter');
        await untilLoaded(page);
        if (await showsHostileTexts(page)) shown++;
      }
      expect(complaints, address).toEqual([]);
    }
    // Without hostile texts in sight, the test would show nothing.
    expect(shown).toBeGreaterThan(10);
  });

  /** Every page of the navigation, and views of pages that need ids. */
  async function addressesOf(page: Page): Promise<string[]> {
    const links = await page
      .getByRole('navigation', { name: 'Pages' })
      .locator('a')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
    const { apiKey } = server.quickstart;
    const { organizationId, documentId } = PLACE;
    const views = [
      `feedback?annotation=${THREAD}&why=${USER}`,
      `feedback?tab=notifications&organizationId=${organizationId}&user=${USER}`,
      `feedback?tab=chain&organizationId=${organizationId}`,
      'memory?tab=judgments',
      'memory?tab=alerts',
      ...['documents', 'users', 'groups'].map(
        (tab) => `directory?organization=${organizationId}&tab=${tab}`,
      ),
      'directory?q=img',
      `access?organization=${organizationId}&document=${documentId}&user=${USER}`,
      `live-documents?organization=${organizationId}&document=${documentId}`,
    ];
    return [...links, ...views.map((view) => `/console/key/${apiKey}/${view}`)];
  }

  /** Fails where a text became a part of the page. @returns whether hostile texts are in sight */
  async function showsHostileTexts(page: Page): Promise<boolean> {
    const { isSeen, ...problems } = await page.evaluate((mark) => {
      const elements = [...document.querySelectorAll(`[${mark}]`)];
      const links = [...document.querySelectorAll('a, area, form, iframe, object, embed')];
      const addresses = links.flatMap((each) =>
        ['href', 'src', 'action', 'data'].map((name) => each.getAttribute(name) ?? ''),
      );
      return {
        elements: elements.map((each) => each.outerHTML),
        scripts: addresses.filter((address) => /^\s*javascript:/i.test(address)),
        hostile: Reflect.get(window, 'hostile'),
        isSeen: document.body.innerText.includes(mark),
      };
    }, HOSTILE_MARK);
    expect(problems, page.url()).toEqual({ elements: [], scripts: [], hostile: undefined });
    return isSeen;
  }
});

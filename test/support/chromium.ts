import { existsSync } from 'node:fs';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { temporaryFolder } from './temporary-folder.ts';
import { whenFileEnds, whenTestEnds } from './when-file-ends.ts';

const EXECUTABLE = '/usr/bin/chromium';
/** A name of another site, which leads to this machine. */
export const REBOUND_HOST = 'rebound.example';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${REBOUND_HOST} 127.0.0.1`,
];

/** Starts a real browser with an empty profile, until the tests of the file have ended. */
export async function startChromium(): Promise<BrowserContext> {
  if (!existsSync(EXECUTABLE)) {
    throw new Error(`This test needs Chromium at ${EXECUTABLE}: apt-get install chromium`);
  }
  const profile = await temporaryFolder('test-chromium-');
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    headless: true,
    args: FLAGS,
  });
  whenFileEnds(() => browser.close());
  return browser;
}

let opened: Promise<unknown> = Promise.resolve();

/**
 * A page in a window of its own, closed after the test. Chromium draws a page behind another one of its window
 * once a second, and Playwright waits for frames before it clicks.
 */
export function newWindow(browser: BrowserContext): Promise<Page> {
  const page = opened.then(async () => {
    const session = await browser.browser()?.newBrowserCDPSession();
    const target = { url: 'about:blank', newWindow: true };
    const [made] = await Promise.all([
      browser.waitForEvent('page'),
      session?.send('Target.createTarget', target),
    ]);
    await session?.detach();
    return made;
  });
  // Windows open one after the other, since the event does not say to which of them a page belongs.
  opened = page.catch(() => undefined);
  whenTestEnds(async () => (await page).close());
  return page;
}

/** A page that is closed after the test. */
export async function watchedPage(
  browser: BrowserContext,
  width = 1440,
  levels = ['error', 'warning'],
) {
  const page = await browser.newPage();
  whenTestEnds(() => page.close());
  await page.setViewportSize({ width, height: 900 });
  /** Errors and warnings of the browser's console, and failures of scripts. */
  const complaints: string[] = [];
  /** The hosts that the page contacted. */
  const hosts = new Set<string>();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (levels.includes(message.type())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (/^(http|ws)/.test(protocol)) hosts.add(host);
  });
  return { page, complaints, hosts };
}

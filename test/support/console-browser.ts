import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { signInLink } from '../../src/console/session/one-time-ids.ts';
import { startChromium } from './chromium.ts';
import { requireBuiltConsole } from './console.ts';
import { eventually } from './eventually.ts';
import { startTestServer } from './server.ts';

/** Waits until nothing on the page is loading. The network of a page with live updates is never idle. */
export const untilLoaded = (page: Page) =>
  eventually(async () =>
    expect(await page.getByRole('status', { name: 'Loading' }).count()).toBe(0),
  );

/** A server with the built console, and a browser. */
export async function startConsole(environment: Record<string, string> = {}) {
  const server = await startTestServer(environment);
  await requireBuiltConsole(server.url);
  const browser = await startChromium();
  /** Signs in as the administrator, with a link like the one that each start prints. */
  const signIn = async (page: Page) => {
    await page.goto(signInLink(server.app.services));
    await page.getByRole('button', { name: 'Account' }).waitFor();
  };
  const keyPage = (name: string) => `${server.url}/console/key/${server.quickstart.apiKey}/${name}`;
  return { server, browser, signIn, keyPage };
}

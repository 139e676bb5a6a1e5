import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { signInLink } from '../../src/console/session/one-time-ids.ts';
import { startChromium } from './chromium.ts';
import { requireBuiltConsole } from './console.ts';
import { eventually } from './eventually.ts';
import { startTestServer } from './server.ts';

/** Pages that follow something are never idle, but say what they still load. */
export const untilLoaded = (page: Page) =>
  eventually(async () =>
    expect(await page.getByRole('status', { name: 'Loading' }).count()).toBe(0),
  );

/** A server with the built console, and a browser. */
export async function startConsole(environment: Record<string, string> = {}) {
  const server = await startTestServer(environment);
  await requireBuiltConsole(server.url);
  const browser = await startChromium();
  /** Signs in as the administrator, by a link of a start. */
  const signIn = async (page: Page) => {
    await page.goto(signInLink(server.app.services));
    await page.getByRole('button', { name: 'Account' }).waitFor();
  };
  const keyPage = (name: string) => `${server.url}/console/key/${server.quickstart.apiKey}/${name}`;
  return { server, browser, signIn, keyPage };
}

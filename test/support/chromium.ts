import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type BrowserContext, chromium } from 'playwright-core';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { whenFileEnds } from './when-file-ends.ts';

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
  const profile = await makeTemporaryFolder('test-chromium-');
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    headless: true,
    args: FLAGS,
  });
  whenFileEnds(async () => {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  });
  return browser;
}

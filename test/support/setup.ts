import { afterAll, afterEach, vi } from 'vitest';
import './check-answers.ts';
import { endFile, endTest } from './when-file-ends.ts';

/** Runs for every test: leaves nothing behind in the process, which runs other files later. */
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await endTest();
});
afterAll(endFile, 60_000);

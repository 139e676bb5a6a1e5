import { afterAll, afterEach, vi } from 'vitest';
import './check-answers.ts';
import { endFile, endTest } from './when-file-ends.ts';

/** Runs for every test file: leaves nothing behind in the process, which runs other files later. */
afterEach(endTest);
afterAll(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await endFile();
}, 60_000);

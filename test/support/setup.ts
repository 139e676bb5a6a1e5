import { afterAll, afterEach, vi } from 'vitest';
import './check-answers.ts';
import { endFile, endTest } from './when-file-ends.ts';

/** Runs for every test: leaves nothing behind in the process, which runs other files later. */
afterEach(async () => {
  // A mock may stand in for a timer that is itself fake, so mocks go first.
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await endTest();
});
afterAll(endFile, 60_000);

import path from 'node:path';
import { defineConfig } from 'vitest/config';

// Servers and programs that tests start load in half the time, as with `npm start`.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules/.cache/node');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/services/**', 'test/**/*-plans.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    pool: 'forks',
    // Loading the server anew for each file would take more than a third of the time.
    isolate: false,
    setupFiles: ['test/support/setup.ts'],
    // Two more than the processors of a small machine, since many tests only wait for servers.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // CI's machines are shared and noisy; what fails twice there is a defect. Nobody waits for it here.
    retry: process.env.CI ? 1 : 0,
    watch: false,
  },
});

import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// What only a real PostgreSQL 15 with Redis, several processes, a browser or npm can show.
process.env.TEST_SERVICES = '1';

const include = [
  'test/services/**/*.test.ts',
  // Plans, which need large tables, and locks and isolation, in which versions of PostgreSQL differ.
  'test/**/*-plans.test.ts',
  'test/platform/{transaction,lost-races}.test.ts',
  'test/realtime/append-updates.test.ts',
  // The data as PostgreSQL 15 stores them.
  'test/cli/backup.test.ts',
  // Redis beside the live bus of one process.
  'test/realtime/concurrent-replacements.test.ts',
  'test/server/lost-access.test.ts',
];

const limits = {
  // A test may walk through a dozen pages, which a busy machine renders slowly.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Four files with several processes each came close to the hundred connections that PostgreSQL allows by default.
  maxWorkers: 3,
};

export default defineConfig({ ...base, test: { ...base.test, ...limits, include, exclude: [] } });

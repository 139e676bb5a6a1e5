import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// What only a real PostgreSQL 15 with Redis, several processes, a browser or npm can show.
process.env.TEST_SERVICES = '1';

// Longer than clients, pools and jobs wait for anything.
const env = { DATABASE_AWAY_MS: '30000' };

const include = [
  'test/services/**/*.test.ts',
  // Each operation once: the SQL that PostgreSQL 15 may not know.
  'test/contract/every-operation.test.ts',
  // Plans, locks and isolation, in which versions of PostgreSQL differ.
  'test/**/*-plans.test.ts',
  'test/platform/{transaction,lost-races}.test.ts',
  'test/realtime/append-updates.test.ts',
  // The schema and its data as PostgreSQL 15 stores them.
  'test/platform/migrate.test.ts',
  'test/cli/backup.test.ts',
  // Redis beside the live bus of one process.
  'test/realtime/concurrent-replacements.test.ts',
  // A longer outage than the embedded one.
  'test/realtime/database-outage.test.ts',
];

export default defineConfig({ ...base, test: { ...base.test, env, include, exclude: [] } });

import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The whole suite once more, on a real PostgreSQL and Redis, with what only they can show.
process.env.TEST_SERVICES = '1';

// Longer than clients, pools and jobs wait for anything.
const env = { DATABASE_AWAY_MS: '30000' };

export default defineConfig({ ...base, test: { ...base.test, env, exclude: [] } });

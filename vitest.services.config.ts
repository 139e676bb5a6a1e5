import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The whole suite once more, on a real PostgreSQL and Redis, with what only they can show.
process.env.TEST_SERVICES = '1';

export default mergeConfig(base, defineConfig({ test: { exclude: [] } }));

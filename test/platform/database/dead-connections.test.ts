import { expect, it } from 'vitest';
import { sql } from '../../../src/platform/database/database.ts';
import { startTestServer } from '../../support/server.ts';

const BLOCK_MS = 1_000;
const TEST_MS = 60_000;

it('no statement is broken off while the process is held up', { timeout: TEST_MS }, async () => {
  const { app } = await startTestServer({ ROLES: 'api' });
  const holding = setInterval(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCK_MS);
  }, 1);
  // It is silent for long enough to be looked up, which takes several turns of the event loop.
  const [row] = await app.services.db.query(sql`SELECT pg_sleep(12), 1 AS one`);
  clearInterval(holding);
  expect(row).toMatchObject({ one: 1 });
});

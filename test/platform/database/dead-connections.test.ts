import { expect, it } from 'vitest';
import { sql } from '../../../src/platform/database/database.ts';
import { startTestServer } from '../../support/server.ts';

const BLOCK_MS = 1_000;
const TEST_MS = 60_000;

it('no slow statement is broken off, not even while the process is held up', {
  timeout: TEST_MS,
}, async () => {
  const { app } = await startTestServer({ ROLES: 'api' });
  const holding = setInterval(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCK_MS);
  }, 1);
  // It is silent for long enough to be looked up, which takes several turns of the event loop.
  const { db } = app.services;
  const slow = sql`SELECT pg_sleep(12), 1 AS one`;
  const [alone, inTransaction] = await Promise.all([
    db.query(slow),
    db.transaction((tx) => tx.query(slow)),
  ]);
  clearInterval(holding);
  expect([alone, inTransaction]).toMatchObject([[{ one: 1 }], [{ one: 1 }]]);
});

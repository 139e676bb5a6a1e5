import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../../../src/platform/database/database.ts';
import { openDatabase } from '../../support/database-client.ts';
import { createDatabase, startTestServer } from '../../support/server.ts';

const BLOCK_MS = 1_000;

it('no slow statement is ended, not even while the process is held up', async () => {
  const { db } = (await startTestServer({ ROLES: 'api' })).app.services;
  // Connections are opened before the process is held up, which would let them run out of time.
  const transactions = await Promise.all([db.begin(), db.begin()]);
  const hold = setInterval(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCK_MS);
  }, 1);
  onTestFinished(() => clearInterval(hold));
  // The statements are silent for so long that the process asks PostgreSQL about them.
  const answers = await Promise.all(
    transactions.map((tx) => tx.query(sql`SELECT pg_sleep(12), 1 AS one`)),
  );
  clearInterval(hold);
  expect(answers).toMatchObject([[{ one: 1 }], [{ one: 1 }]]);
  await Promise.all(transactions.map((tx) => tx.rollBack()));
});

it('a statement without an answer fails in the end, although the server is at work', async () => {
  const db = openDatabase(await createDatabase(), { poolSize: 2, maxStatementMs: 3_000 });
  const idle = db.transaction(async (tx) => {
    await tx.query(sql`SELECT`);
    await expect(db.query(sql`SELECT pg_sleep(30)`)).rejects.toThrow('terminated');
    return tx.query(sql`SELECT 1 AS one`);
  });
  expect(await idle).toEqual([{ one: 1 }]);
});

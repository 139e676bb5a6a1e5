import { beforeAll, describe, expect, it } from 'vitest';
import { sql, type Transaction } from '../../src/platform/database/database.ts';
import { fresh } from '../support/answers.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});

const insert = (tx: Transaction, name: string) =>
  tx.query(sql`INSERT INTO event_readers (name, sequence) VALUES (${name}, 1)`);

const isThere = async (name: string) => {
  const rows = await server.app.services.db.query(sql`
    SELECT 1 FROM event_readers WHERE name = ${name}`);
  return rows.length > 0;
};

describe('statements of a transaction that are asked for together', () => {
  it('run in their order', async () => {
    const { db } = server.app.services;
    const name = fresh('reader');
    const [, rows] = await db.transaction((tx) =>
      Promise.all([
        insert(tx, name),
        tx.query(sql`SELECT sequence::int FROM event_readers WHERE name = ${name}`),
      ]),
    );
    expect(rows).toEqual([{ sequence: 1 }]);
    expect(await isThere(name)).toBe(true);
  });

  it('leave nothing behind when one of them fails, and the caller hears of that one', async () => {
    const { db } = server.app.services;
    const [before, after] = [fresh('reader'), fresh('reader')];
    const failing = db.transaction((tx) =>
      Promise.all([insert(tx, before), tx.query(sql`SELECT 1 / 0`), insert(tx, after)]),
    );
    await expect(failing).rejects.toThrow('division by zero');
    expect([await isThere(before), await isThere(after)]).toEqual([false, false]);
  });
});

describe('work that outlives its transaction', () => {
  it('runs no statement on a connection that is another transaction’s by then', async () => {
    const { db } = server.app.services;
    const name = fresh('reader');
    let late: Transaction | undefined;
    const failing = db.transaction(async (tx) => {
      late = tx;
      await tx.query(sql`SELECT 1 / 0`);
    });
    await expect(failing).rejects.toThrow('division by zero');
    await expect(late && insert(late, name)).rejects.toThrow('The transaction is over.');
    expect(await isThere(name)).toBe(false);
  });
});

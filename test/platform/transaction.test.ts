import { beforeAll, describe, expect, it } from 'vitest';
import { sql, type Transaction } from '../../src/platform/database/database.ts';
import { pipeline } from '../../src/platform/database/pipeline.ts';
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

describe('pipelined statements of a transaction', () => {
  it('run in their order', async () => {
    const { db } = server.app.services;
    const name = fresh('reader');
    const [, rows] = await db.transaction((tx) =>
      pipeline([
        insert(tx, name),
        tx.query(sql`SELECT sequence::int FROM event_readers WHERE name = ${name}`),
      ]),
    );
    expect(rows).toEqual([{ sequence: 1 }]);
    expect(await isThere(name)).toBe(true);
  });

  it('are all rolled back when one fails, and the caller gets the failure of that one', async () => {
    const { db } = server.app.services;
    const [before, after] = [fresh('reader'), fresh('reader')];
    const failing = db.transaction((tx) =>
      pipeline([insert(tx, before), tx.query(sql`SELECT 1 / 0`), insert(tx, after)]),
    );
    await expect(failing).rejects.toThrow('division by zero');
    expect([await isThere(before), await isThere(after)]).toEqual([false, false]);
  });

  it('have all settled when the caller gets the failure', async () => {
    const { db } = server.app.services;
    const settled: string[] = [];
    const laterStatement = async (tx: Transaction) => {
      try {
        await insert(tx, fresh('reader'));
      } finally {
        await new Promise(setImmediate);
        settled.push('later statement');
      }
    };
    const failing = db.transaction((tx) =>
      pipeline([tx.query(sql`SELECT 1 / 0`), laterStatement(tx)]).catch((error) => {
        settled.push('caller');
        throw error;
      }),
    );
    await expect(failing).rejects.toThrow('division by zero');
    expect(settled).toEqual(['later statement', 'caller']);
  });
});

describe('work that continues after its transaction', () => {
  it('runs no statement on a released connection', async () => {
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

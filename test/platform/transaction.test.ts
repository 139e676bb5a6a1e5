import { describe, expect, it } from 'vitest';
import { sql, type Transaction } from '../../src/platform/database/database.ts';
import { OperationDatabase } from '../../src/platform/database/operation-database.ts';
import { pipeline } from '../../src/platform/database/pipeline.ts';
import { fresh } from '../support/answers.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
const { db } = server.app.services;

const insertion = (name: string) =>
  sql`INSERT INTO event_readers (name, sequence) VALUES (${name}, 1)`;

const insert = (tx: Transaction, name: string) => tx.query(insertion(name));

const isThere = async (name: string) => {
  const rows = await db.query(sql`
    SELECT 1 FROM event_readers WHERE name = ${name}`);
  return rows.length > 0;
};

describe('pipelined statements of a transaction', () => {
  it('run in their order, and are all rolled back when one fails, whose failure the caller gets', async () => {
    const name = fresh('reader');
    const [, rows] = await db.transaction((tx) =>
      pipeline([
        insert(tx, name),
        tx.query(sql`SELECT sequence::int FROM event_readers WHERE name = ${name}`),
      ]),
    );
    expect(rows).toEqual([{ sequence: 1 }]);
    const [before, after] = [fresh('reader'), fresh('reader')];
    const failing = db.transaction((tx) =>
      pipeline([insert(tx, before), tx.query(sql`SELECT 1 / 0`), insert(tx, after)]),
    );
    await expect(failing).rejects.toThrow('division by zero');
    expect([await isThere(before), await isThere(after)]).toEqual([false, false]);
  });

  it('have all settled when the caller gets the failure', async () => {
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

describe('a statement that is left for the end of a transaction', () => {
  it('runs with COMMIT, in one round trip, and rolls everything back when it fails', async () => {
    const [name, other] = [fresh('reader'), fresh('reader')];
    const roundTrips = await server.roundTripsOf(() =>
      db.transaction(async (tx) => tx.beforeCommit(insertion(name))),
    );
    expect(roundTrips).toEqual([['BEGIN', insertion(name).text, 'COMMIT']]);
    expect(await isThere(name)).toBe(true);
    const failing = db.transaction(async (tx) => {
      await insert(tx, other);
      tx.beforeCommit(sql`SELECT 1 / 0`);
    });
    await expect(failing).rejects.toThrow('division by zero');
    expect(await isThere(other)).toBe(false);
  });

  it.each(['of its own', 'that commits later'])(
    'is retried with its transaction %s when it loses a race',
    async (kind) => {
      const [first, second] = [fresh('reader'), fresh('reader')];
      await db.transaction((tx) => insert(tx, first));
      const names = [first, second];
      const own = kind === 'of its own' ? db : new OperationDatabase(db);
      await own.transaction(async (tx) =>
        tx.beforeCommit(insertion(names.shift() ?? ''), { retryOn: ['event_readers_pkey'] }),
      );
      if (own instanceof OperationDatabase) await own.commitWith(async () => undefined);
      expect(await isThere(second)).toBe(true);
    },
  );
});

it('a transaction that PostgreSQL rolls back is not reported as committed', async () => {
  const name = fresh('reader');
  const done: string[] = [];
  const failing = db.transaction(async (tx) => {
    await insert(tx, name);
    tx.afterCommit(() => done.push('published'));
    await tx.query(sql`SELECT 1 / 0`).catch(() => undefined);
  });
  await expect(failing).rejects.toThrow('PostgreSQL rolled the transaction back');
  expect(done).toEqual([]);
  expect(await isThere(name)).toBe(false);
});

it('work that continues after its transaction runs no statement on a released connection', async () => {
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

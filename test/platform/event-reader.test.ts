import { describe, expect, it } from 'vitest';
import { sql, type Transaction } from '../../src/platform/database/database.ts';
import { EventFeed } from '../../src/platform/events/event-feed.ts';
import type { EventReader } from '../../src/platform/events/event-reader.ts';
import { EventReaders } from '../../src/platform/events/event-readers.ts';
import type { LoggedEvent } from '../../src/platform/events/logged-events.ts';
import { partitionOf } from '../../src/platform/events/reader-partitions.ts';
import { fresh } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const server = await startTestServer();
const { db, events: log } = server.app.services;

/** Publishes events about organizations with these names. */
const publish = async (...names: string[]) => {
  const published = names.map(organizationAdded);
  await db.transaction((tx) => log.append(tx, server.quickstart.apiKey, published));
  await log.sequence();
};

const organizationAdded = (name: string) => ({
  type: 'organization.add',
  channels: [],
  data: { organizationId: name, organizationName: name },
});

type Handle = EventReader<string[]>['handle'];
const namesOf = (events: LoggedEvent[]) =>
  events.map(({ data }) => (data as { organizationId: string }).organizationId);
const collect: Handle = async (seen, _tx, events) => void seen.push(...namesOf(events));

async function openFeed(): Promise<EventFeed> {
  const feed = new EventFeed({ ...server.app.services, databaseUrl: server.databaseUrl });
  whenTestEnds(() => feed.stop());
  await feed.start();
  return feed;
}

/** A reader as another process has it, with cursors in the same database. */
async function read(
  name: string,
  seen: string[],
  handle: Handle = collect,
  options: Partial<EventReader<string[]>> = {},
) {
  const parts = { ...server.app.services, feed: await openFeed() };
  const readers = new EventReaders<string[]>(parts, [{ name, handle, ...options }]);
  whenTestEnds(() => readers.stop());
  await readers.register();
  readers.start(seen);
  return readers;
}

describe('a reader of the event log', () => {
  it('starts with events after its deployment, in order, and resumes where it stopped', async () => {
    const name = fresh('reader');
    await publish('before');
    const seen: string[] = [];
    const readers = await read(name, seen);
    await publish('one', 'two');
    await eventually(() => expect(seen).toEqual(['one', 'two']));
    await readers.stop();
    await publish('three');
    await read(name, seen);
    await publish('four');
    await eventually(() => expect(seen).toEqual(['one', 'two', 'three', 'four']));
  });

  it('runs in one process at a time', async () => {
    const name = fresh('reader');
    const seen: string[] = [];
    await Promise.all([read(name, seen), read(name, seen), read(name, seen)]);
    const names = Array.from({ length: 700 }, (_, n) => `event-${n}`);
    await publish(...names);
    await eventually(() => expect(seen).toHaveLength(names.length));
    expect(seen).toEqual(names);
  });

  it('is taken over from a process that is suspended while it handles events', async () => {
    const name = fresh('reader');
    const [begun, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await read(name, [], () => {
      begun.resolve();
      return resumed.promise;
    });
    whenTestEnds(resumed.resolve);
    await publish('one');
    await begun.promise;
    const seen: string[] = [];
    await read(name, seen);
    // Much longer than needed, but shorter than the 30 s after which any transaction ends.
    await eventually(() => expect(seen).toEqual(['one']), 15_000);
  }, 20_000);

  it('gets no more events at a time than it takes, and handles as many of them as it chooses', async () => {
    const name = fresh('reader');
    await (await read(name, [])).stop();
    const names = ['one', 'large', 'two', 'three', 'four', 'five'];
    await publish(...names);
    const handled: string[][] = [];
    const handle: Handle = async (_seen, tx, events) =>
      tx.afterCommit(() => handled.push(namesOf(events)));
    const limitBatch = async (_tx: Transaction, events: LoggedEvent[]) =>
      namesOf(events).includes('large') ? 1 : events.length;
    await read(name, [], handle, { batch: 3, limitBatch });
    await eventually(() => expect(handled.flat()).toEqual(names));
    expect(handled).toEqual([['one'], ['large'], ['two', 'three', 'four'], ['five']]);
  });

  it('gets the same events again after a failure, and its writes are rolled back', async () => {
    const name = fresh('reader');
    const seen: string[] = [];
    let failures = 1;
    await read(name, seen, async (_seen, tx, events) => {
      await tx.query(sql`INSERT INTO event_readers (name, sequence) VALUES (${`${name}-by`}, 1)`);
      seen.push(...namesOf(events));
      if (failures-- > 0) throw new Error('The first attempt fails.');
    });
    await publish('once');
    await eventually(() => expect(seen).toEqual(['once', 'once']));
    // The reader sees the event before its transaction is committed.
    await eventually(async () => {
      const rows = await db.query(sql`
        SELECT sequence FROM event_readers WHERE name = ${`${name}-by`}`);
      expect(rows).toHaveLength(1);
    });
  });

  const jobsOf = (name: string) =>
    db.query<{ data: object }>(sql`
      SELECT data FROM pgboss.job /* all tenants */ WHERE data->>'reader' = ${name}`);

  it.each([
    ['always fails', false],
    ['always fails with the commit', true],
  ])('leaves an event that %s to a job, and continues with the others', async (_when, isLate) => {
    const fail = (tx: Transaction) => {
      if (!isLate) throw new Error('This event fails.');
      tx.beforeCommit(sql`SELECT 1 / 0`);
    };
    const name = fresh('reader');
    const seen: string[] = [];
    let isMended = false;
    const readers = await read(name, seen, async (_seen, tx, events) => {
      const names = namesOf(events);
      if (!isMended && names.includes('broken')) fail(tx);
      tx.afterCommit(() => seen.push(...names));
    });
    await publish('one', 'broken', 'two', 'three');
    await eventually(() => expect(seen).toEqual(['one', 'two', 'three']));
    const jobs = await jobsOf(name);
    expect(jobs).toHaveLength(1);
    const run = () => readers.jobHandler.run(seen, jobs[0]?.data, new AbortController().signal);
    await expect(run()).rejects.toThrow();
    isMended = true;
    await run();
    expect(seen).toEqual(['one', 'two', 'three', 'broken']);
  });

  it('is not held up for long by a tenant whose events all fail', async () => {
    const name = fresh('reader');
    const seen: string[] = [];
    await read(name, seen, async (_seen, _tx, events) => {
      if (namesOf(events).includes('broken')) throw new Error('This event fails.');
      seen.push(...namesOf(events));
    });
    const broken = Array.from({ length: 20 }, () => 'broken');
    await publish(...broken, 'last');
    await eventually(() => expect(seen).toEqual(['last']));
    expect(await jobsOf(name)).toHaveLength(broken.length);
  });

  it('keeps the order of events through an outage of the database', async () => {
    const name = fresh('reader');
    const seen: string[] = [];
    let failures = 6;
    await read(name, seen, async (_seen, _tx, events) => {
      if (failures-- > 0) throw Object.assign(new Error('No database.'), { code: 'ECONNREFUSED' });
      seen.push(...namesOf(events));
    });
    await publish('one');
    await eventually(() => expect(seen).toEqual(['one']));
    expect(await jobsOf(name)).toEqual([]);
  });

  it('lets an erasure wait for the job that handles an event later', async () => {
    const name = fresh('reader');
    const handled: Array<[isLate: boolean | undefined, isLocked: boolean]> = [];
    const readers = await read(name, [], async (_seen, _tx, _events, isLate) => {
      const locked = db.query(sql`
        SELECT 1 FROM event_reader_partitions WHERE name = ${name} FOR KEY SHARE NOWAIT`);
      handled.push([isLate, await locked.then(() => false).catch(() => true)]);
    });
    await publish('one');
    await eventually(() => expect(handled).toHaveLength(1));
    await readers.stop();
    const tenantId = server.quickstart.apiKey;
    const [last] = await db.query<{ sequence: string }>(sql`
      SELECT max(sequence)::text AS sequence FROM events WHERE tenant_id = ${tenantId}`);
    const payload = { reader: name, tenantId, ...last };
    await readers.jobHandler.run([], payload, new AbortController().signal);
    expect(handled).toEqual([
      [undefined, true],
      [true, true],
    ]);
  });

  it('gets only events of its types and tenants', async () => {
    const seen: string[] = [];
    const others: string[] = [];
    const where = sql`tenant_id = ${server.quickstart.apiKey}`;
    await read(fresh('reader'), seen, collect, { types: ['organization.add'], where });
    await read(fresh('reader'), others, collect, { types: ['organization.update'] });
    await read(fresh('reader'), others, collect, { where: sql`tenant_id = 'nobody'` });
    await publish('one', 'two');
    await eventually(() => expect(seen).toEqual(['one', 'two']));
    await publish('three');
    await eventually(() => expect(seen).toEqual(['one', 'two', 'three']));
    expect(others).toEqual([]);
  });
});

it('the many events of one key delay those of keys in other partitions by one batch', async () => {
  const name = fresh('reader');
  await (await read(name, [])).stop();
  const keys = Array.from({ length: 64 }, () => fresh('key'));
  const rows = await db.query<{ key: string; partition: number }>(sql`
    SELECT key, ${partitionOf(sql`key`)} AS partition FROM unnest(${keys}::text[]) AS given(key)`);
  const [{ key: busy, partition: own } = { key: '', partition: 0 }] = rows;
  const others = rows.filter(({ partition }) => partition !== own).map(({ key }) => key);
  const batch = others.length;
  await db.transaction(async (tx) => {
    const many = Array.from({ length: 4 * batch }, () => organizationAdded('one of many'));
    await log.append(tx, busy, many);
    for (const key of others) await log.append(tx, key, [organizationAdded('single')]);
  });
  await log.sequence();
  const seen: string[] = [];
  await read(name, seen, collect, { batch });
  await eventually(() => expect(seen).toHaveLength(5 * batch));
  expect(seen.slice(0, batch)).toEqual(others.map(() => 'one of many'));
  expect(seen.slice(batch, 2 * batch)).toEqual(others.map(() => 'single'));
});

it('processes share the events that piled up, each key in the order of its events', async () => {
  const name = fresh('reader');
  await (await read(name, [])).stop();
  // Enough keys for each partition to have some.
  const keys = Array.from({ length: 256 }, () => fresh('key'));
  const inOrder = ['1', '2', '3', '4'];
  const all = keys.length * inOrder.length;
  await db.transaction(async (tx) => {
    for (const key of keys) await log.append(tx, key, inOrder.map(organizationAdded));
  });
  await log.sequence();
  const handled: LoggedEvent[] = [];
  const held = Promise.withResolvers<void>();
  let batches = 0;
  let holding = 0;
  await read(name, [], async (_seen, _tx, events) => {
    batches += 1;
    if (batches === 2) {
      holding = events.length;
      await held.promise;
    }
    handled.push(...events);
  });
  await eventually(() => expect(holding).toBeGreaterThan(0));
  await read(name, [], async (_seen, _tx, events) => void handled.push(...events));
  await eventually(() => expect(handled).toHaveLength(all - holding));
  held.resolve();
  await eventually(() => expect(handled).toHaveLength(all));
  for (const key of keys) {
    expect(namesOf(handled.filter(({ tenantId }) => tenantId === key))).toEqual(inOrder);
  }
  // The position of the whole reader follows, by which the log is kept for it.
  await eventually(async () => {
    const [row] = await db.query<{ isThrough: boolean }>(sql`
      SELECT sequence = (SELECT max(sequence) FROM events /* all tenants */) AS "isThrough"
      FROM event_readers WHERE name = ${name}`);
    expect(row?.isThrough).toBe(true);
  });
});

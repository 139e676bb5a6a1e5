import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/platform/database/database.ts';
import { EventFeed, type FeedEvent } from '../../src/platform/events/event-feed.ts';
import type { LoggedEvent } from '../../src/platform/events/event-log.ts';
import { type EventReader, EventReaders } from '../../src/platform/events/event-reader.ts';
import { fresh } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const running: Array<EventReaders<string[]> | EventFeed> = [];
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

/** Tells of organizations with these names. */
const tell = async (...names: string[]) => {
  const { db, events } = server.app.services;
  const told = names.map(organizationAdded);
  await db.transaction((tx) => events.append(tx, server.quickstart.apiKey, told));
  await events.sequence();
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

function openFeed(): EventFeed {
  const feed = new EventFeed({ ...server.app.services, databaseUrl: server.databaseUrl });
  running.push(feed);
  feed.start();
  return feed;
}

/** As another process would: with cursors in the same database. */
async function read(
  name: string,
  seen: string[],
  handle: Handle = collect,
  wanted: Partial<EventReader<string[]>> = {},
) {
  const parts = { ...server.app.services, feed: openFeed() };
  const readers = new EventReaders<string[]>(parts, [{ name, handle, ...wanted }]);
  running.unshift(readers);
  await readers.register();
  readers.start(seen);
  return readers;
}

describe('a reader of the event log', () => {
  it('gets what was written in its place behind what was committed before', async () => {
    const { db, events } = server.app.services;
    const tenantId = server.quickstart.apiKey;
    const seen: string[] = [];
    await read(fresh('reader'), seen);
    await db.transaction((tx) => events.append(tx, tenantId, [organizationAdded('small')]));
    await db.transaction(async (tx) =>
      events.appendInPlace(tx, tenantId, [organizationAdded('large')]),
    );
    await eventually(() => expect(seen).toEqual(['small', 'large']));
  });

  it('reads what comes after it was deployed, in order, and goes on where it stopped', async () => {
    const name = fresh('reader');
    await tell('before');
    const seen: string[] = [];
    const readers = await read(name, seen);
    await tell('one', 'two');
    await eventually(() => expect(seen).toEqual(['one', 'two']));
    await readers.stop();
    await tell('three');
    await read(name, seen);
    await tell('four');
    await eventually(() => expect(seen).toEqual(['one', 'two', 'three', 'four']));
  });

  it('reads at one place at a time', async () => {
    const name = fresh('reader');
    const seen: string[] = [];
    await Promise.all([read(name, seen), read(name, seen), read(name, seen)]);
    const types = Array.from({ length: 700 }, (_, n) => `type-${n}`);
    await tell(...types);
    await eventually(() => expect(seen).toHaveLength(types.length));
    expect(seen).toEqual(types);
  });

  it('gets the same events again when it failed, and nothing that it wrote stays', async () => {
    const name = fresh('reader');
    const seen: string[] = [];
    let failures = 1;
    await read(name, seen, async (_seen, tx, events) => {
      await tx.query(sql`INSERT INTO event_readers (name, sequence) VALUES (${`${name}-by`}, 1)`);
      seen.push(...namesOf(events));
      if (failures-- > 0) throw new Error('The first attempt fails.');
    });
    await tell('once');
    await eventually(() => expect(seen).toEqual(['once', 'once']));
    // What is seen inside the transaction is there for others once it is committed.
    await eventually(async () => {
      const rows = await server.app.services.db.query(sql`
        SELECT sequence FROM event_readers WHERE name = ${`${name}-by`}`);
      expect(rows).toHaveLength(1);
    });
  });

  it('is handed the types and tenants that it asks for, and nothing else', async () => {
    const seen: string[] = [];
    const { apiKey } = server.quickstart;
    const where = sql`tenant_id = ${apiKey}`;
    await read(fresh('reader'), seen, collect, { types: ['organization.add'], where });
    const others: string[] = [];
    await read(fresh('reader'), others, collect, { types: ['organization.update'] });
    const strangers: string[] = [];
    await read(fresh('reader'), strangers, collect, { where: sql`tenant_id = 'nobody'` });
    await tell('one', 'two');
    await eventually(() => expect(seen).toEqual(['one', 'two']));
    await tell('three');
    await eventually(() => expect(seen).toEqual(['one', 'two', 'three']));
    expect(others).toEqual([]);
    expect(strangers).toEqual([]);
  });
});

describe('the feed of the event log', () => {
  /** Follows from now on. The first attempts fail. */
  function follow(feed: EventFeed, types: string[], failures = 0) {
    let left = failures;
    return feed.follow(async (events: FeedEvent[]) => {
      if (left-- > 0) throw new Error('The first attempts fail.');
      types.push(...events.map(({ sequence }) => sequence));
    }, '0');
  }

  it('keeps nobody waiting for a follower that fails, who gets the same again', async () => {
    const feed = openFeed();
    const [failing, well]: [string[], string[]] = [[], []];
    follow(feed, failing, 2);
    follow(feed, well);
    await tell(...Array.from({ length: 1_200 }, (_, n) => `more-${n}`));
    const { db } = server.app.services;
    const log = await db.query<{ sequence: string }>(sql`
      SELECT sequence::text FROM events /* all tenants */ ORDER BY events.sequence`);
    const all = log.map(({ sequence }) => sequence);
    await eventually(() => expect(well).toEqual(all));
    await eventually(() => expect(failing).toEqual(all));
  });

  it('hands nothing over once it is no longer followed', async () => {
    const feed = openFeed();
    const [stopped, going]: [string[], string[]] = [[], []];
    const leave = follow(feed, stopped);
    follow(feed, going);
    await eventually(() => expect(stopped).toEqual(going));
    await leave();
    const before = stopped.length;
    await tell('later');
    await eventually(() => expect(going.length).toBeGreaterThan(before));
    expect(stopped).toHaveLength(before);
  });
});

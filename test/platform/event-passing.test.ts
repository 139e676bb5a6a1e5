import { afterEach, describe, expect, it } from 'vitest';
import { SETTINGS_CHANNEL } from '../../src/features/settings/settings-row.ts';
import { sql } from '../../src/platform/database/database.ts';
import { EventFeed, type FeedEvent } from '../../src/platform/events/event-feed.ts';
import { EventReaders } from '../../src/platform/events/event-reader.ts';
import { fresh } from '../support/answers.ts';
import { openDatabase } from '../support/database-client.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { watchStatements } from '../support/statements.ts';

const running: Array<{ stop(): Promise<void> }> = [];
const server = await startTestServer({ ROLES: 'api' });
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

const organizationAdded = (name: string) => ({
  type: 'organization.add',
  channels: [],
  data: { organizationId: name, organizationName: name },
});

async function publish(from: TestServer, count = 1): Promise<void> {
  const { db, events } = from.app.services;
  const published = Array.from({ length: count }, () => organizationAdded(fresh('organization')));
  await db.transaction((tx) => events.append(tx, server.quickstart.apiKey, published));
}

const newFeed = (of: TestServer, databaseUrl = server.databaseUrl) =>
  new EventFeed({ ...of.app.services, databaseUrl });

/** Follows the log from now on, in the process of a server. */
async function follow(of: TestServer, feed = newFeed(of)): Promise<string[]> {
  running.push(feed);
  await feed.start();
  const seen: string[] = [];
  const see = async (events: FeedEvent[]) =>
    void seen.push(...events.map(({ sequence }) => sequence));
  feed.follow(see);
  // A new follower first asks for the newest event, and sees only later ones.
  await eventually(async () => {
    await publish(of);
    expect(seen).not.toHaveLength(0);
  });
  return seen;
}

/** Waits until a follower has seen the newest event, and compares with the log. */
async function expectAll(seen: string[]): Promise<void> {
  const { rows } = await server.app.services.db.pool.query<{ sequence: string }>(
    'SELECT sequence::text FROM events /* all tenants */ ORDER BY events.sequence',
  );
  const all = rows.map(({ sequence }) => sequence);
  await eventually(() => expect(seen.at(-1)).toBe(all.at(-1)));
  expect(seen).toEqual(all.slice(all.indexOf(seen[0] ?? '')));
}

describe('a process that follows the log', () => {
  it('passes on all events in order while it gets no notifications', async () => {
    const other = await startTestServer({ DATABASE_URL: server.databaseUrl, ROLES: 'api' });
    const network = await createNetwork(server.databaseUrl);
    running.unshift({ stop: async () => network.releaseAnswers() });
    const seen = await follow(server, newFeed(server, network.url));
    network.holdAnswers();
    for (let n = 0; n < 5; n++) {
      await publish(other);
      await other.app.services.events.sequence();
      await publish(server);
      await server.app.services.events.sequence();
    }
    await expectAll(seen);
  });

  it('passes on each event once and in order, while another process moves events too', async () => {
    const other = await startTestServer({ DATABASE_URL: server.databaseUrl, ROLES: 'api' });
    const seenByBoth = [await follow(server), await follow(other)];
    await Promise.all(
      [server, other].map(async (each) => {
        for (let n = 0; n < 50; n++) await publish(each, 1 + (n % 3));
      }),
    );
    await server.app.services.events.sequence();
    for (const seen of seenByBoth) await expectAll(seen);
  });
});

it('events that no reader selects cost no statement, until a setting of their key makes a reader select them', async () => {
  const { services } = server.app;
  const db = openDatabase(server.databaseUrl, { poolSize: 2 });
  const own: string[] = [];
  watchStatements(db.pool, (text) => void own.push(text));
  const feed = newFeed(server);
  const where = sql`tenant_id IN (
      SELECT tenant_id FROM service_settings /* all tenants, background */ WHERE use_email_service)`;
  let handled = 0;
  const handle = async () => {
    handled += 1;
  };
  const readers = new EventReaders({ ...services, db, feed }, [
    { name: fresh('reader'), where, handle },
  ]);
  feed.listen(SETTINGS_CHANNEL, () => readers.settingsChanged());
  await readers.register();
  readers.start(undefined);
  running.push(readers);
  const seen = await follow(server, feed);

  const lookups = () => own.filter((text) => text.includes('AS matching')).length;
  for (let n = seen.length; n < 20; n++) {
    await publish(server);
    await eventually(() => expect(seen.length).toBeGreaterThan(n));
  }
  const known = lookups();
  // Answers from before the feed began to listen are not kept.
  expect(known).toBeLessThanOrEqual(2);
  expect(handled).toBe(0);

  await db.pool.query('UPDATE service_settings SET use_email_service = TRUE WHERE tenant_id = $1', [
    server.quickstart.apiKey,
  ]);
  await eventually(async () => {
    await publish(server);
    expect(lookups()).toBeGreaterThan(known);
  });
  await eventually(() => expect(handled).toBeGreaterThan(0));
});

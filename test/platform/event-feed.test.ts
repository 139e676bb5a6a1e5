import { describe, expect, it, vi } from 'vitest';
import { SETTINGS_CHANNEL } from '../../src/features/settings/settings-row.ts';
import { sql } from '../../src/platform/database/database.ts';
import { EventFeed, type FeedEvent } from '../../src/platform/events/event-feed.ts';
import { EventReaders } from '../../src/platform/events/event-readers.ts';
import { fresh } from '../support/answers.ts';
import { openDatabase } from '../support/database-client.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { watchStatements } from '../support/statements.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const server = await startTestServer({ ROLES: 'api' });
const other = await startTestServer({ DATABASE_URL: server.databaseUrl, ROLES: 'api' });
const { pool } = server.app.services.db;
const own = server.quickstart.apiKey;

/** Publishes one event for each of the tenants, and puts them into the log. */
async function publish(from: TestServer, ...tenantIds: string[]): Promise<void> {
  const { db, events } = from.app.services;
  const data = { organizationId: 'acme', organizationName: 'Acme' };
  const added = { type: 'organization.add', channels: [], data };
  await db.transaction(async (tx) => {
    for (const tenantId of tenantIds) await events.append(tx, tenantId, [added]);
  });
  await events.sequence();
}

/** Puts events into the log without notifying anybody. */
const insertSilently = (...tenantIds: string[]) =>
  pool.query(
    `INSERT INTO events (tenant_id, id, type, channels, data, created_at)
     SELECT tenant_id, gen_random_uuid(), 'organization.add', '{}', '{}', now()
     FROM unnest($1::text[]) AS event(tenant_id)`,
    [tenantIds],
  );

async function startFeed(databaseUrl = server.databaseUrl): Promise<EventFeed> {
  const db = openDatabase(server.databaseUrl);
  const feed = new EventFeed({ ...server.app.services, db, databaseUrl });
  whenTestEnds(() => feed.stop());
  await feed.start();
  return feed;
}

/** Follows the log from now on. @param failures how many attempts to handle events fail at first */
function follow(feed: EventFeed, failures = 0) {
  const since = String(feed.position);
  const seen: FeedEvent[] = [];
  let left = failures;
  const leave = feed.subscribe(async (events) => {
    if (left-- > 0) throw new Error('The first attempts fail.');
    seen.push(...events);
  });
  /** Waits until this follower has seen all events of the log in order, each once. */
  const expectAll = async () => {
    const { rows } = await pool.query<Pick<FeedEvent, 'sequence' | 'tenantId'>>(
      `SELECT sequence::text, tenant_id AS "tenantId" FROM events /* all tenants */
       WHERE events.sequence > $1 ORDER BY events.sequence`,
      [since],
    );
    const shown = () => seen.map(({ sequence, tenantId }) => ({ sequence, tenantId }));
    await eventually(() => expect(shown()).toEqual(rows));
    return rows.length;
  };
  return { seen, leave, expectAll };
}

const newTenants = (count: number) => Array.from({ length: count }, () => fresh('tenant'));

describe('a process that follows the log', () => {
  it('gets an event without a notification once it is notified of a later one', async () => {
    const { seen, expectAll } = follow(await startFeed());
    await insertSilently(...newTenants(1));
    await publish(server, ...newTenants(1));
    await eventually(() => expect(seen).toHaveLength(2));
    await expectAll();
  });

  it('gets events of a process of another release, which notifies in another way', async () => {
    const tenants = newTenants(2);
    const { expectAll } = follow(await startFeed());
    for (const payload of ['', 'an-id-of-a-process', '{}']) {
      await insertSilently(...tenants);
      await pool.query(`SELECT pg_notify('event_log', $1)`, [payload]);
      await expectAll();
    }
  });

  it('gets events of however many tenants, and more than it reads at a time', async () => {
    const tenants = newTenants(250);
    const { expectAll } = follow(await startFeed());
    await publish(server, ...Array(5).fill(tenants).flat());
    expect(await expectAll()).toBe(1_250);
  });

  it('gets all events while it gets no notifications', async () => {
    const network = await createNetwork(server.databaseUrl);
    const { expectAll } = follow(await startFeed(network.url));
    whenTestEnds(() => network.releaseAnswers());
    network.holdAnswers();
    for (let n = 0; n < 5; n++) {
      await publish(other, own);
      await publish(server, own);
    }
    await expectAll();
  });

  it('gets all events while several processes move them into the log', async () => {
    const { expectAll } = follow(await startFeed());
    const publishMany = async (from: TestServer) => {
      for (let n = 0; n < 25; n++) await publish(from, ...newTenants(1 + (n % 3)));
    };
    await Promise.all([server, other].map(publishMany));
    await expectAll();
  });

  it('delays nobody for a follower that fails, which gets the same events again', async () => {
    const feed = await startFeed();
    const followers = [follow(feed, 2), follow(feed)];
    await publish(server, ...newTenants(10));
    for (const { expectAll } of followers) await expectAll();
  });

  it('gets nothing after it left', async () => {
    const feed = await startFeed();
    const [stopped, going] = [follow(feed), follow(feed)];
    await publish(server, own);
    await going.expectAll();
    await stopped.expectAll();
    await stopped.leave();
    await publish(server, own);
    await going.expectAll();
    expect(stopped.seen).toHaveLength(1);
  });
});

it('events that no reader selects cost no statement, until a setting of their key makes a reader select them', async () => {
  const db = openDatabase(server.databaseUrl, { poolSize: 2 });
  let lookups = 0;
  watchStatements(db.pool, (text) => {
    if (text.includes('AS matching')) lookups++;
  });
  const feed = await startFeed();
  const where = sql`tenant_id IN (
      SELECT tenant_id FROM service_settings /* all tenants, background */ WHERE use_email_service)`;
  const handle = vi.fn(async () => undefined);
  const reader = { name: fresh('reader'), where, handle };
  const readers = new EventReaders({ ...server.app.services, db, feed }, [reader]);
  feed.listen(SETTINGS_CHANNEL, () => readers.settingsChanged());
  await readers.register();
  readers.start(undefined);
  whenTestEnds(() => readers.stop());
  const { expectAll } = follow(feed);
  for (let n = 0; n < 10; n++) {
    await publish(server, own);
    await expectAll();
  }
  const known = lookups;
  // Answers from before the feed listened are forgotten, so there may be a second lookup.
  expect(known).toBeLessThanOrEqual(2);
  expect(handle).not.toHaveBeenCalled();

  const setting = 'UPDATE service_settings SET use_email_service = TRUE WHERE tenant_id = $1';
  await pool.query(setting, [own]);
  await eventually(async () => {
    await publish(server, own);
    expect(lookups).toBeGreaterThan(known);
  });
  await eventually(() => expect(handle).toHaveBeenCalled());
});

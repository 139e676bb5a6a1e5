import { afterEach, describe, expect, it } from 'vitest';
import { EventFeed, type FeedEvent } from '../../src/platform/events/event-feed.ts';
import { fresh } from '../support/answers.ts';
import { openDatabase } from '../support/database-client.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';

const running: Array<{ stop(): Promise<void> }> = [];
/** The process that publishes events and moves them into the log. */
const server = await startTestServer({ ROLES: 'api' });
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

/** Publishes one event for each of the tenants, and puts them into the log. */
async function publish(...tenantIds: string[]): Promise<void> {
  const { db, events } = server.app.services;
  const data = { organizationId: 'acme', organizationName: 'Acme' };
  const added = { type: 'organization.add', channels: [], data };
  await db.transaction(async (tx) => {
    for (const tenantId of tenantIds) await events.append(tx, tenantId, [added]);
  });
  await events.sequence();
}

/** Puts events into the log without notifying anybody. */
async function insertSilently(...tenantIds: string[]): Promise<void> {
  await server.app.services.db.pool.query(
    `INSERT INTO events (tenant_id, id, type, channels, data, created_at)
     SELECT tenant_id, gen_random_uuid(), 'organization.add', '{}', '{}', now()
     FROM unnest($1::text[]) AS event(tenant_id)`,
    [tenantIds],
  );
}

/** Follows the log in another process, with one connection to the database. */
async function follow(): Promise<FeedEvent[]> {
  const db = openDatabase(server.databaseUrl);
  const feed = new EventFeed({ ...server.app.services, db, databaseUrl: server.databaseUrl });
  running.push(feed);
  await feed.start();
  const handled: FeedEvent[] = [];
  feed.follow(async (events) => void handled.push(...events));
  return handled;
}

const tenantsOf = (events: FeedEvent[]) => events.map(({ tenantId }) => tenantId);
const newTenants = (count: number) => Array.from({ length: count }, () => fresh('tenant'));

describe('a process that follows the log', () => {
  it('misses no event that it was not notified of, when it is notified of those of others', async () => {
    const [own = '', other = ''] = newTenants(2);
    const handled = await follow();
    await insertSilently(own);
    await publish(other);
    await eventually(() => expect(tenantsOf(handled)).toEqual([own, other]));
  });

  it('gets events of a process of another release, which notifies in another way', async () => {
    const [own = '', other = ''] = newTenants(2);
    const handled = await follow();
    for (const payload of ['', 'an-id-of-a-process', '{}']) {
      await insertSilently(other, own);
      await server.app.services.db.pool.query(`SELECT pg_notify('event_log', $1)`, [payload]);
    }
    await eventually(() =>
      expect(tenantsOf(handled)).toEqual([other, own, other, own, other, own]),
    );
  });

  it('passes on each event once and in order, of however many tenants', async () => {
    const tenants = newTenants(250);
    const handled = await follow();
    await publish(...tenants);
    await publish(...tenants);
    await eventually(() => expect(tenantsOf(handled)).toEqual([...tenants, ...tenants]));
    const positions = handled.map(({ sequence }) => Number(sequence));
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
  });
});

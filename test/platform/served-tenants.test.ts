import { afterEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/platform/database/database.ts';
import { EventFeed, type FeedEvent } from '../../src/platform/events/event-feed.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { fresh } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { watchStatements } from '../support/statements.ts';

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

/** The feed of another process, which has one connection to the database. */
async function openFeed() {
  const db = new Database({ url: server.databaseUrl, poolSize: 1, log: createLogger('silent') });
  const statements: string[] = [];
  watchStatements(db.pool, (text) => void statements.push(text));
  const feed = new EventFeed({ ...server.app.services, db, databaseUrl: server.databaseUrl });
  running.push(feed, { stop: () => db.close() });
  const handled: FeedEvent[] = [];
  feed.follow(async (events) => void handled.push(...events));
  feed.start();
  const serve = (tenantId: string, until = new AbortController().signal) =>
    feed.serveTenant(tenantId, until);
  const tenantsHandled = () => handled.map(({ tenantId }) => tenantId);
  return { feed, db, statements, handled, serve, tenantsHandled };
}

const newTenants = (count: number) => Array.from({ length: count }, () => fresh('tenant'));

describe('a process that serves some tenants', () => {
  it('passes on no events of others', async () => {
    const [own = '', other = ''] = newTenants(2);
    const { serve, tenantsHandled } = await openFeed();
    await serve(own);
    for (let n = 0; n < 5; n++) await publish(other, own, other);
    await eventually(() => expect(tenantsHandled()).toEqual(Array(5).fill(own)));
  });

  it('misses no event that it was not notified of, when it is notified of those of others', async () => {
    const [own = '', other = ''] = newTenants(2);
    const { serve, tenantsHandled } = await openFeed();
    await serve(own);
    await insertSilently(own);
    await publish(other);
    await eventually(() => expect(tenantsHandled()).toEqual([own]));
  });

  it('gets events of a process of another release, which notifies in another way', async () => {
    const [own = '', other = ''] = newTenants(2);
    const { serve, tenantsHandled } = await openFeed();
    await serve(own);
    for (const payload of ['', 'an-id-of-a-process', '{}']) {
      await insertSilently(other, own);
      await server.app.services.db.pool.query(`SELECT pg_notify('event_log', $1)`, [payload]);
    }
    await eventually(() => expect(tenantsHandled()).toEqual([own, own, own]));
  });

  it('misses no event of a tenant that it begins to serve while it reads those of others', async () => {
    const [early = '', late = ''] = newTenants(2);
    const { db, serve, tenantsHandled } = await openFeed();
    await serve(early);
    await publish(early);
    await eventually(() => expect(tenantsHandled()).toEqual([early]));
    const connection = await db.pool.connect();
    await publish(early);
    // The statement that reads this event is made, and waits for the only connection.
    await eventually(() => expect(db.pool.waitingCount).toBe(1));
    await serve(late);
    await publish(late, early, late);
    connection.release();
    const all = [early, early, late, early, late];
    await eventually(() => expect(tenantsHandled()).toEqual(all));
  });

  it('passes on each event once and in order, of however many tenants', async () => {
    const tenants = newTenants(250);
    const { serve, tenantsHandled, handled } = await openFeed();
    for (const tenant of tenants) await serve(tenant);
    await publish('somebody else', ...tenants, 'somebody else');
    await publish(...tenants);
    await eventually(() => expect(tenantsHandled()).toEqual([...tenants, ...tenants]));
    const positions = handled.map(({ sequence }) => Number(sequence));
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
  });

  it('passes on nothing of a tenant that it no longer serves', async () => {
    const [own = '', former = ''] = newTenants(2);
    const { serve, tenantsHandled } = await openFeed();
    const leaving = new AbortController();
    await serve(own);
    await serve(former, leaving.signal);
    await serve(former, leaving.signal);
    await publish(former);
    await eventually(() => expect(tenantsHandled()).toEqual([former]));
    leaving.abort();
    await publish(former, own);
    await eventually(() => expect(tenantsHandled()).toEqual([former, own]));
  });
});

it('a process that serves no tenant sends no statement for events, and then begins with the next one', async () => {
  const [tenant = ''] = newTenants(1);
  const idle = await openFeed();
  const busy = await openFeed();
  await busy.serve(tenant);
  for (let n = 1; n <= 5; n++) {
    await publish(tenant);
    await eventually(() => expect(busy.handled).toHaveLength(n));
  }
  expect(idle.statements).toEqual([]);

  const leaving = new AbortController();
  await idle.serve(tenant, leaving.signal);
  await publish(tenant);
  await eventually(() => expect(busy.handled).toHaveLength(6));
  await eventually(() => expect(idle.handled).toEqual([busy.handled[5]]));
  leaving.abort();
  const known = idle.statements.length;
  await publish(tenant);
  await eventually(() => expect(busy.handled).toHaveLength(7));
  expect(idle.statements).toHaveLength(known);

  await idle.serve(tenant);
  await publish(tenant);
  await eventually(() => expect(busy.handled).toHaveLength(8));
  await eventually(() => expect(idle.handled).toEqual([busy.handled[5], busy.handled[7]]));
});

import { describe, expect, it } from 'vitest';
import { deleteExpiredEvents } from '../../../src/features/events/retention.ts';
import { deleteExpiredDeliveries } from '../../../src/features/webhooks/deliveries/delete-expired-deliveries.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { dataOf, failureOf, type Headers } from '../../support/answers.ts';
import { allEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { readersCaughtUp } from '../../support/notifying-key.ts';
import { hang, respondWith } from '../../support/receiver.ts';
import { testServer } from '../../support/server.ts';
import {
  attempted,
  PATHS,
  publishEvents,
  webhookScene,
  webhookTenant,
} from '../../support/webhooks.ts';

const DAY = 86_400_000;

let now = Date.UTC(2027, 0, 5, 9);
const environment = { EVENT_RETENTION_DAYS: '10', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
const server = testServer(environment, { clock: { now: () => now } });

const deleteExpired = async () => {
  await deleteExpiredEvents(server.app.services);
  await deleteExpiredDeliveries(server.app.services);
};
const get = (headers: Headers, after?: string) => server.call('/v2/events/get', { after }, headers);
const numbersOf = async (headers: Headers, after?: string) =>
  (await allEvents(server, { ...(after && { after }) }, headers)).map(({ data }) => data.n);
const publishNumbers = async (headers: Headers, ...numbers: number[]) => {
  const published = numbers.map((n) => ({ data: { n } }));
  await publishEvents(server, headers, published);
  await server.app.services.events.sequence();
};
const count = async (table: string) => {
  const { pool } = server.app.services.db;
  const { rows } = await pool.query(`SELECT count(*)::int AS n FROM ${table} /* all tenants */`);
  return rows[0].n;
};

describe('events older than the retention period', () => {
  it('are deleted, and an older cursor is refused instead of skipping them', async () => {
    const [headers, quiet] = [await webhookTenant(server), await webhookTenant(server)];
    const empty = dataOf(await get(headers)).cursor;
    const quietCursor = dataOf(await get(quiet)).cursor;
    await publishNumbers(headers, 1, 2);
    const afterOld = dataOf(await get(headers)).cursor;
    now += 6 * DAY;
    await publishNumbers(headers, 3);
    // Events stay until every reader has read them.
    await readersCaughtUp(server);
    now += 5 * DAY;
    await deleteExpired();
    expect(await numbersOf(headers)).toEqual([3]);
    expect(failureOf(await get(headers, empty)).status).toBe('OUT_OF_RANGE');
    expect(await numbersOf(headers, afterOld)).toEqual([3]);
    await publishNumbers(quiet, 7);
    expect(await numbersOf(quiet, quietCursor), 'of another key').toEqual([7]);
  });

  it('stay until every reader of the log has read them', async () => {
    const headers = await webhookTenant(server);
    const { db } = server.app.services;
    await readersCaughtUp(server);
    await db.query(sql`
      INSERT INTO event_readers (name, sequence)
      SELECT 'behind', COALESCE(max(sequence), 0) FROM events /* all tenants */`);
    await publishNumbers(headers, 1);
    now += 11 * DAY;
    await deleteExpired();
    expect(await numbersOf(headers)).toEqual([1]);
    await db.query(sql`DELETE FROM event_readers WHERE name = 'behind'`);
    await readersCaughtUp(server);
    await deleteExpired();
    expect(await numbersOf(headers)).toEqual([]);
  });
});

describe('deliveries and their attempts', () => {
  it('are deleted with their events, whatever their number', async () => {
    const scene = await webhookScene(server);
    await publishNumbers(scene.headers, 0);
    await attempted(server, scene);
    scene.receiver.respond = hang;
    // More than one statement deletes.
    await publishNumbers(scene.headers, ...Array(1_100).keys());
    await readersCaughtUp(server);
    await deleteExpired();
    expect(await count('webhook_deliveries')).toBe(1_101);
    expect(await count('webhook_attempts')).toBe(1);
    now += 11 * DAY;
    await deleteExpired();
    expect(await count('webhook_deliveries')).toBe(0);
    expect(await count('webhook_attempts')).toBe(0);
  });

  it('are deleted with their endpoint and its queue', async () => {
    const scene = await webhookScene(server, respondWith(500));
    const { headers, receiver, endpointId } = scene;
    await publishNumbers(headers, 1);
    await attempted(server, scene);
    const queues = await count('webhook_queues');
    await server.ok(PATHS.delete, { endpointId }, headers);
    expect(failureOf(await server.call(PATHS.deliveries, { endpointId }, headers)).reason).toBe(
      'endpoint_not_found',
    );
    await eventually(async () => {
      await deleteExpired();
      expect(await count('webhook_queues')).toBe(queues - 1);
    });
    expect(await count('webhook_deliveries')).toBe(0);
    now += DAY;
    await publishNumbers(headers, 2);
    await readersCaughtUp(server);
    expect(receiver.received).toHaveLength(1);
  });
});

it('one run deletes all events that have expired', async () => {
  const { services } = server.app;
  await services.db.query(sql`
    INSERT INTO events (tenant_id, id, type, channels, data, created_at)
    SELECT 'many', 'event-' || n, 'presence.update', '{}', '{}', ${new Date(now)}
    FROM generate_series(1, 2500) AS n`);
  await readersCaughtUp(server);
  now += 11 * DAY;
  await deleteExpiredEvents(services, 60_000);
  expect(await count('events')).toBe(0);
});

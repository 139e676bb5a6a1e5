import { beforeEach, describe, expect, it } from 'vitest';
import { EventLog } from '../../src/platform/events/event-log.ts';
import { lockSequencer, moveFromOutbox } from '../../src/platform/events/move-events.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { fresh } from '../support/answers.ts';
import { openDatabase } from '../support/database-client.ts';
import { eventually } from '../support/eventually.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { createNetwork } from '../support/network.ts';
import { stopAutovacuum } from '../support/rows-read.ts';
import { scrape } from '../support/scrape.ts';
import { createTenant, startTestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

/** More than are moved between two vacuums. */
const MANY = 25_000;
const server = await startTestServer({ ROLES: 'api' });
const others = await createTenant(server);

const pool = () => server.app.services.db.pool;

/** Adds events to the outbox as a transaction does that was committed so long ago. */
const addToOutbox = (count: number, age = '0 s') =>
  pool().query(
    `INSERT INTO event_outbox (tenant_id, id, type, channels, data, created_at)
     SELECT $1, 'bulk-' || gen_random_uuid(), 'document.add', '{}', '{}', now() - $3::interval
     FROM generate_series(1, $2::int)`,
    [server.quickstart.apiKey, count, age],
  );

async function whileNothingMoves(work: () => Promise<void>): Promise<void> {
  const lock = 'SELECT pg_advisory_xact_lock(7241994)';
  const { release } = await holdTransaction(server.databaseUrl, lock);
  await work().finally(release);
}

const addOrganization = (headers: Record<string, string>, organizationId: string) =>
  server.call(
    '/v2/organizations/add',
    { organizations: [{ organizationId, organizationName: organizationId }] },
    headers,
  );

/** The organizations of the newest events of a key. */
async function eventsAbout(headers: Record<string, string>): Promise<string[]> {
  const { body } = await server.call('/v2/events/get', {}, headers);
  const events: Array<{ data: { organizationId: string } }> = body.result.data.events;
  return events.map(({ data }) => data.organizationId);
}

/** How a move would read the outbox: `Index Scan`, for example. */
async function scansOfMove(): Promise<string[]> {
  const { text, values } = moveFromOutbox;
  const { rows } = await pool().query(`EXPLAIN ${text}`, [...values]);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  return plan.match(/\w+ Scan (?=.*\bon event_outbox\b)/g) ?? [];
}

describe('the event outbox', () => {
  beforeEach(() => server.app.services.events.sequence());

  it('is never scanned completely, with any statistics', async () => {
    await stopAutovacuum(pool());
    await addToOutbox(MANY);
    const unknown = await scansOfMove();
    await pool().query('ANALYZE event_outbox');
    const full = await scansOfMove();
    await pool().query('DELETE FROM event_outbox /* all tenants */');
    const dead = await scansOfMove();
    for (const scans of [unknown, full, dead]) {
      expect(scans).not.toEqual([]);
      expect(scans).not.toContain('Seq Scan ');
    }
  });

  it('is vacuumed after many moves', async () => {
    const vacuumed = async () => {
      const { rows } = await pool().query(
        `SELECT vacuum_count::int AS count FROM pg_stat_user_tables WHERE relname = 'event_outbox'`,
      );
      return rows[0].count;
    };
    const before = await vacuumed();
    await addToOutbox(MANY);
    await server.app.services.events.sequence();
    await eventually(async () => expect(await vacuumed()).toBeGreaterThan(before));
  });
});

describe('a reader of one key', () => {
  beforeEach(() => server.app.services.events.sequence());

  const waiting = async () => {
    const count = 'SELECT count(*)::int AS count FROM event_outbox WHERE tenant_id = $1';
    return (await pool().query(count, [server.quickstart.apiKey])).rows[0].count;
  };

  it('gets its event before the events that another key committed in bulk', async () => {
    await addToOutbox(MANY);
    const name = fresh('organization');
    await addOrganization(others, name);
    expect(await eventsAbout(others)).toContain(name);
    expect(await waiting()).toBeGreaterThan(MANY / 2);
  });

  it('is answered while no process can move events, if none of its own wait', async () => {
    const name = fresh('organization');
    await addOrganization(others, name);
    await eventsAbout(others);
    await whileNothingMoves(async () => {
      await addToOutbox(10);
      expect(await eventsAbout(others)).toContain(name);
      expect(await waiting()).toBe(10);
    });
  });

  it('gets many events in the order in which they were committed', async () => {
    const { rows: before } = await pool().query(
      'SELECT COALESCE(max(sequence), 0)::text AS newest FROM events /* all tenants */',
    );
    for (let n = 0; n < 4; n++) {
      await addToOutbox(700);
      await addOrganization(others, fresh('organization'));
    }
    const { rows: queued } = await pool().query(
      'SELECT tenant_id, id FROM event_outbox /* all tenants */ ORDER BY position',
    );
    await server.app.services.events.sequence();
    const { rows: logged } = await pool().query(
      'SELECT tenant_id, id FROM events /* all tenants */ WHERE sequence > $1 ORDER BY sequence',
      [before[0].newest],
    );
    const idsOf = (rows: Array<{ tenant_id: string; id: string }>, tenantId: string) =>
      rows.filter((row) => row.tenant_id === tenantId).map(({ id }) => id);
    expect(logged.length).toBeGreaterThanOrEqual(2_800);
    for (const tenantId of [server.quickstart.apiKey, others['x-svc-api-key'] ?? '']) {
      const [expected, ids] = [idsOf(queued, tenantId), idsOf(logged, tenantId)];
      expect(ids.slice(ids.length - expected.length)).toEqual(expected);
    }
  });
});

it('a process that freezes before it commits a move delays others for a few seconds', async () => {
  await holdTransaction(server.databaseUrl, lockSequencer.text, lockSequencer.values);
  const name = fresh('organization');
  await addOrganization(others, name);
  expect(await eventsAbout(others)).toContain(name);
  // Much longer than needed, but shorter than the 30 s after which any transaction ends.
}, 15_000);

it('a process that freezes while it moves events delays nobody else, and moves each event once', async () => {
  const log = createLogger('silent');
  const network = await createNetwork(server.databaseUrl);
  const db = openDatabase(network.url);
  const parts = { clock: Date, log, metrics: createMetrics(), types: {} };
  const frozen = new EventLog({ ...parts, db, sequencerDb: db });
  whenFileEnds(async () => {
    network.releaseAnswers();
    await frozen.stop();
  });
  await frozen.sequence();
  const { rows: own } = await db.pool.query('SELECT pg_backend_pid() AS pid');
  const activity = 'SELECT state_change::text AS at FROM pg_stat_activity WHERE pid = $1';
  const lastChange = async () => (await pool().query(activity, [own[0].pid])).rows[0].at;
  const before = await lastChange();
  network.holdAnswers();
  // The process believes that events wait in the outbox.
  frozen.start({
    watch: (_nextDue, wake) => {
      wake(Date.now());
      return () => undefined;
    },
  });
  await eventually(async () => expect(await lastChange()).not.toBe(before));
  const name = fresh('organization');
  await addOrganization(others, name);
  const startedAt = performance.now();
  await eventually(async () => expect(await eventsAbout(others)).toContain(name));
  // Much longer than needed, but shorter than the 30 s after which any transaction ends.
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  network.releaseAnswers();
  await frozen.sequence();
  expect((await eventsAbout(others)).filter((each) => each === name)).toHaveLength(1);
});

it('events that wait for long in the outbox slow down changes, and nothing else', async () => {
  await server.app.services.events.sequence();
  const elapsedMs = async (call: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await call();
    return performance.now() - startedAt;
  };
  const read = () => server.call('/v2/organizations/get', {}, others);
  const write = () => addOrganization(others, fresh('organization'));
  await whileNothingMoves(async () => {
    await addToOutbox(1, '1 minute');
    // Two seconds at most, however long the event waits.
    await eventually(async () => expect(await elapsedMs(write)).toBeGreaterThan(1_990));
    expect(await elapsedMs(read)).toBeLessThan(await elapsedMs(write));
  });
  await eventually(async () => expect(await elapsedMs(write)).toBeLessThan(1_990));
});

it('/metrics shows the age of the oldest event in the outbox', async () => {
  const age = async () => (await scrape(server.url)).get('backlog_oldest_seconds{queue="outbox"}');
  await server.app.services.events.sequence();
  expect(await age()).toBe(0);
  await whileNothingMoves(async () => {
    await addToOutbox(1, '1 hour');
    expect(await age()).toBeGreaterThanOrEqual(3_600);
  });
});

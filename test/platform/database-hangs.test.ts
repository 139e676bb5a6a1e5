import { beforeAll, describe, expect, inject, it } from 'vitest';
import { sql } from '../../src/platform/database/database.ts';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/global-setup.ts';
import { createNetwork } from '../support/network.ts';
import { createDatabase, startTestServer, type TestServer, testServer } from '../support/server.ts';

/** The time within which a dead connection is detected. */
const NOTICED_MS = 10_000;
/** Additional time for a busy machine. */
const SLACK_MS = 10_000;
/** Prometheus gives up a request for metrics after 10 s. */
const METRICS_MS = 8_000;

const ready = async ({ url }: TestServer) => {
  const answer = await fetch(`${url}/readyz`);
  const { problem } = (await answer.json()) as { problem?: string };
  return { status: answer.status, problem };
};

const addUser = (server: TestServer, userId: string) =>
  server.call('/v1/users/add', { organizationId: 'acme', users: [{ userId }] });

/** The server processes of this database's listeners. */
const listeners = (databaseUrl: string) =>
  execute(
    databaseUrl,
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE '%feed'`,
  );

it('a network that drops packets to the database is detected within ten seconds on busy, idle and listening connections, without a restart', async () => {
  const databaseUrl = await createDatabase();
  const network = await createNetwork(databaseUrl);
  const server = await startTestServer({ DATABASE_URL: network.url });
  const { db } = server.app.services;
  expect((await addUser(server, 'before')).status).toBe(200);
  const held = db.query(sql`SELECT pg_sleep(25)`);
  held.catch(() => undefined);
  await Promise.all([1, 2, 3, 4].map((n) => addUser(server, `busy-${n}`)));
  const [listener] = await listeners(databaseUrl);
  const swallowedAt = performance.now();
  network.dropPackets();
  const during = await addUser(server, 'during');
  expect(during.status).toBe(503);
  expect(during.body.error.status).toBe('UNAVAILABLE');
  await expect(held).rejects.toThrow();
  expect(performance.now() - swallowedAt).toBeLessThan(NOTICED_MS + SLACK_MS);
  const silent = { status: 503, problem: expect.stringContaining('The database') };
  expect(await ready(server)).toEqual(silent);
  const askedAt = performance.now();
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(performance.now() - askedAt).toBeLessThan(METRICS_MS);
  expect(metrics).toMatch(/^backlog_waiting\{queue="outbox"\} nan$/im);
  network.deliverPackets();
  await eventually(async () => expect((await addUser(server, 'after')).status).toBe(200));
  await eventually(async () => expect((await ready(server)).status).toBe(200));
  await eventually(async () => {
    const others = (await listeners(databaseUrl)).filter(({ pid }) => pid !== listener?.pid);
    expect(others).toHaveLength(1);
  });
});

describe('a read-only database server', () => {
  const server = testServer();
  beforeAll(() => addUser(server, 'before'));

  const setReadOnly = (value: 'on' | 'off') => {
    const name = new URL(server.databaseUrl).pathname.slice(1);
    const change = `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`;
    return execute(inject('adminUrl'), change);
  };
  /** Closes all connections, because the setting applies to new ones. */
  const renewConnections = () => server.app.services.db.replaceConnections();

  it('is left on all connections by the first write that fails', async () => {
    const { pool } = server.app.services.db;
    const length = Math.max(4, pool.totalCount);
    const clients = await Promise.all(Array.from({ length }, () => pool.connect()));
    for (const client of clients) await client.query('SET default_transaction_read_only = on');
    for (const client of clients) client.release();
    await eventually(async () => expect((await addUser(server, 'anew')).status).toBe(200));
    const setting = `SELECT current_setting('default_transaction_read_only') AS value, pg_sleep(0.1)`;
    const settings = await Promise.all(Array.from({ length: 6 }, () => pool.query(setting)));
    expect(new Set(settings.map(({ rows }) => rows[0].value))).toEqual(new Set(['off']));
  });

  it('is reported, still used for reads, and left once another server accepts writes', async () => {
    await setReadOnly('on');
    await eventually(async () => {
      // New connections are opened once a second at most.
      renewConnections();
      const problem = 'The database is read-only.';
      expect(await ready(server)).toEqual({ status: 503, problem });
    });
    const refused = await addUser(server, 'during');
    expect(refused.status).toBe(503);
    expect(refused.body.error.status).toBe('UNAVAILABLE');
    const read = await server.call('/v2/users/get', { organizationId: 'acme' });
    expect(read.status).toBe(200);
    await setReadOnly('off');
    await eventually(async () => {
      expect((await addUser(server, 'after')).status).toBe(200);
      expect(await ready(server)).toEqual({ status: 200, problem: undefined });
    });
  });
});

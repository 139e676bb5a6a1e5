import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/platform/database/database.ts';
import { eventually } from '../support/eventually.ts';
import { flakyProxy } from '../support/flaky-proxy.ts';
import { createDatabase, startTestServer, type TestServer } from '../support/server.ts';

/** In which a dead connection is noticed. */
const NOTICED_MS = 10_000;
/** And what a loaded machine may take on top of it. */
const SLACK_MS = 10_000;
const TEST_MS = 60_000;

const ready = async ({ url }: TestServer) => {
  const answer = await fetch(`${url}/readyz`);
  const { problem } = (await answer.json()) as { problem?: string };
  return { status: answer.status, problem };
};

const addUser = (server: TestServer, userId: string) =>
  server.call('/v1/users/add', { organizationId: 'acme', users: [{ userId }] });

/** The processes of the server that this database's listeners have. */
const listeners = async (databaseUrl: string) => {
  const rows = await run(
    databaseUrl,
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE '%feed'`,
  );
  return rows.map(({ pid }) => pid);
};

async function run(databaseUrl: string, statement: string) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SET default_transaction_read_only = off');
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

describe('a network that swallows what goes to the database', () => {
  it(
    'is noticed within ten seconds, on busy, idle and listening connections, and survived',
    async () => {
      const databaseUrl = await createDatabase();
      const network = await flakyProxy(databaseUrl);
      const through = new URL(databaseUrl);
      through.port = new URL(network.url).port;
      const server = await startTestServer({ DATABASE_URL: through.href });
      const { db } = server.app.services;
      expect((await addUser(server, 'before')).status).toBe(200);
      const held = db.query(sql`SELECT pg_sleep(25)`);
      held.catch(() => undefined);
      const waiting = Array.from({ length: 4 }, (_, n) => addUser(server, `busy-${n}`));
      await Promise.all(waiting);
      const [listener] = await listeners(databaseUrl);
      const swallowedAt = performance.now();
      network.swallow();
      const during = await addUser(server, 'during');
      expect(during.status).toBe(503);
      expect(during.body.error.status).toBe('UNAVAILABLE');
      await expect(held).rejects.toThrow();
      expect(performance.now() - swallowedAt).toBeLessThan(NOTICED_MS + SLACK_MS);
      const silent = { status: 503, problem: expect.stringContaining('The database') };
      expect(await ready(server)).toEqual(silent);
      network.deliver();
      await eventually(
        async () => expect((await addUser(server, 'after')).status).toBe(200),
        NOTICED_MS + SLACK_MS,
      );
      await eventually(async () => expect((await ready(server)).status).toBe(200), NOTICED_MS);
      await eventually(async () => {
        const others = (await listeners(databaseUrl)).filter((pid) => pid !== listener);
        expect(others).toHaveLength(1);
      }, NOTICED_MS + SLACK_MS);
    },
    TEST_MS,
  );
});

describe('a statement that takes long', () => {
  it('is not taken for a dead connection', async () => {
    const server = await startTestServer();
    const { db } = server.app.services;
    await db.query(sql`SELECT pg_sleep(6)`);
    await db.transaction(async (tx) => {
      await tx.query(sql`SELECT pg_sleep(6)`);
    });
  });
});

describe('a server that takes no writes any more', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await addUser(server, 'before');
  });

  const setReadOnly = async (isOn: boolean) => {
    const name = new URL(server.databaseUrl).pathname.slice(1);
    const value = isOn ? 'on' : 'off';
    await run(
      server.databaseUrl,
      `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`,
    );
  };
  /** As if each had been opened since: the setting holds for new connections. */
  const renewConnections = () => server.app.services.db.leaveServer();

  it('is reported, still read from, and left as soon as another takes them', async () => {
    await setReadOnly(true);
    renewConnections();
    await eventually(async () => {
      const problem = 'The database is read-only.';
      expect(await ready(server)).toEqual({ status: 503, problem });
    });
    const refused = await addUser(server, 'during');
    expect(refused.status).toBe(503);
    expect(refused.body.error.status).toBe('UNAVAILABLE');
    const read = await server.call('/v2/users/get', { organizationId: 'acme' });
    expect(read.status).toBe(200);
    await setReadOnly(false);
    await eventually(async () => {
      expect((await addUser(server, 'after')).status).toBe(200);
      expect(await ready(server)).toEqual({ status: 200, problem: undefined });
    });
  });

  it('is left on every connection by the first write that meets it', async () => {
    const { pool } = server.app.services.db;
    const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    for (const client of clients) await client.query('SET default_transaction_read_only = on');
    for (const client of clients) client.release();
    // New connections are made once a second at most, and a moment ago they were.
    await eventually(async () => expect((await addUser(server, 'anew')).status).toBe(200));
    const stale = await Promise.all(
      Array.from({ length: 6 }, () =>
        pool.query<{ isOn: string }>(
          `SELECT current_setting('default_transaction_read_only') AS "isOn", pg_sleep(0.1)`,
        ),
      ),
    );
    expect(new Set(stale.map(({ rows }) => rows[0]?.isOn))).toEqual(new Set(['off']));
  });
});

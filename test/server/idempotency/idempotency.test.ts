import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deleteExpiredReservations } from '../../../src/api/idempotency/reservations.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { Secrets } from '../../../src/platform/secrets.ts';
import { failureOf, fresh, type Headers } from '../../support/answers.ts';
import { callConsole, credentialsOf, signInTo } from '../../support/console.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { callTrpc, operationOf } from '../../support/operations.ts';
import { scrape } from '../../support/scrape.ts';
import {
  type Answer,
  createTenant,
  startTestServer,
  type TestServer,
} from '../../support/server.ts';

const HOUR_MS = 60 * 60 * 1000;
const clock = { offsetMs: 0, now: () => Date.now() + clock.offsetMs };

const server = await startTestServer({}, { clock });
const shared = { ROLES: 'api', DATABASE_URL: server.databaseUrl };
const another = await startTestServer(shared, { clock });
const otherKey = await createTenant(server);

let keys = 0;
const newKey = () => `key-${++keys}`;

const addUsers = (key: string, userId: string, headers: Headers = server.keyHeaders) => {
  const users = { organizationId: 'acme', users: [{ userId }] };
  return server.call('/v1/users/add', users, { ...headers, 'idempotency-key': key });
};

/** Each call returns another key. */
const createKey = (key: string, apiKeyName: string) => {
  const input = { ownerEmail: 'ada@example.com', type: 'testing', apiKeyName };
  const headers = { ...server.workspaceHeaders, 'idempotency-key': key };
  return server.call('/v2/workspace/apikey/create', input, headers);
};

async function eventsOf(userId: string, headers?: Headers): Promise<number> {
  const { events } = await server.ok('/v2/events/get', {}, headers);
  const isAbout = ({ data }: { data: object }) => JSON.stringify(data).includes(`"${userId}"`);
  return events.filter(isAbout).length;
}

const INVALID = { http: 400, status: 'INVALID_ARGUMENT' };

const expectSame = (second: Answer, first: Answer) => {
  expect(second.status).toBe(first.status);
  expect(second.body).toEqual(first.body);
};

describe('the same key and the same body', () => {
  it('get the first answer again, over tRPC', async () => {
    const operation = operationOf('apiKeys.create');
    const headers = { ...server.workspaceHeaders, 'idempotency-key': newKey() };
    const create = () => callTrpc(server.url, operation, operation.meta.example.request, headers);
    expect(await create()).toEqual(await create());
  });

  it.each([
    [400, '/v2/workspace/apikey/create', { ownerEmail: 'nobody' }],
    [403, '/v2/workspace/apikey/create', { ownerEmail: 'ada@example.com', type: 'production' }],
    [404, '/v2/workspace/authtoken/reset', { apiKey: 'nothing' }],
  ])('get the failure again: %i', async (status, path, data) => {
    const key = newKey();
    const headers = { ...server.workspaceHeaders, 'idempotency-key': key };
    const first = await server.call(path, data, headers);
    expect(first.status).toBe(status);
    expectSame(await server.call(path, data, headers), first);
    expect(await stored(key)).toHaveLength(1);
  });
});

describe('the same key', () => {
  it('is refused with another body, which changes nothing', async () => {
    const key = newKey();
    await addUsers(key, 'first-body');
    expect(failureOf(await addUsers(key, 'second-body'))).toMatchObject(INVALID);
    expect(await eventsOf('second-body')).toBe(0);
  });

  it('is independent in another API key, workspace level or path', async () => {
    const key = newKey();
    const first = await addUsers(key, 'scoped');
    const elsewhere = await addUsers(key, 'scoped', otherKey);
    expect(elsewhere.body.result.data.scoped.success).toBe(true);
    expect(await eventsOf('scoped', otherKey)).toBeGreaterThan(0);
    const documents = { organizationId: 'acme', documents: [{ documentId: 'scoped' }] };
    const headers = { ...server.keyHeaders, 'idempotency-key': key };
    await server.ok('/v2/organizations/documents/add', documents, headers);
    expectSame(await addUsers(key, 'scoped'), first);
    expect((await createKey(key, 'scoped')).status).toBe(200);
    const wrong = { ...server.keyHeaders, 'x-svc-auth-token': 'wrong' };
    expect((await addUsers(key, 'scoped', wrong)).status, 'without its credentials').toBe(403);
  });

  it('is independent in a token of an agent and a plain one of its user, and of the console', async () => {
    await addUsers(newKey(), 'ada');
    const place = { organizationId: 'acme', documentId: 'agents' };
    const { organizationId, documentId: id } = place;
    await organize(server, organizationId, { documents: [id] });
    const resources = [{ type: 'document', id, organizationId, accessRole: 'editor' }];
    const key = newKey();
    const tokenOf = async (agent?: object) => {
      const input = { userId: 'ada', permissions: { resources }, agent };
      const { token } = await server.ok('/v2/auth/generate_token', input);
      return { authorization: `Bearer ${token}` };
    };
    const [plain, agent] = [await tokenOf(), await tokenOf({ agentId: 'reviewer' })];
    const again = await tokenOf({ agentId: 'reviewer', executionId: 'next' });
    const data = {
      ...place,
      commentAnnotations: [{ commentData: [{ from: { userId: 'ada' }, commentText: 'Hello' }] }],
    };
    const keyed = { 'idempotency-key': key };
    const add = (headers: Headers) =>
      server.ok('/v2/commentannotations/add', data, { ...headers, ...keyed });
    const [first, second] = [await add(plain), await add(agent)];
    expect(second).not.toEqual(first);
    expect([await add(plain), await add(again)]).toEqual([first, second]);

    const { operator, administrator } = credentialsOf(server);
    const made = await add(server.keyHeaders);
    for (const credentials of [operator, administrator]) {
      const { cookie } = await signInTo(server.url, credentials);
      const call = { url: server.url, cookie, apiKey: operator.apiKey, headers: keyed };
      const added = await callConsole(call, 'commentAnnotations.add', 'mutation', data);
      expect(added).not.toEqual(made);
    }
  });

  it('expires after 24 hours', async () => {
    const key = newKey();
    const first = await createKey(key, 'expiring');
    clock.offsetMs = 24 * HOUR_MS - 60_000;
    expectSame(await createKey(key, 'expiring'), first);
    clock.offsetMs = 24 * HOUR_MS + 60_000;
    const later = await createKey(key, 'expiring');
    expect(later.body.result.data.apiKey).not.toBe(first.body.result.data.apiKey);
    clock.offsetMs = 0;
  });

  it('is ignored on reads', async () => {
    const key = newKey();
    const headers = { ...server.keyHeaders, 'idempotency-key': key };
    await server.call('/v2/events/get', { limit: 1 }, headers);
    expect((await server.call('/v2/events/get', { limit: 2 }, headers)).status).toBe(200);
    expect(await stored(key)).toEqual([]);
  });

  it.each(['', ' ', 'two words', 'x'.repeat(257)])(
    'must have 1 to 256 visible characters: %j',
    async (key) => {
      expect(failureOf(await addUsers(key, 'never'))).toMatchObject(INVALID);
    },
  );
});

it('the stored answer contains no token', async () => {
  const key = newKey();
  const headers = { ...server.keyHeaders, 'idempotency-key': key };
  const { token } = await server.ok('/v2/auth/generate_token', { userId: 'ada' }, headers);
  const [row] = await stored(key);
  expect(row?.text).toContain('sealed_answer');
  expect(row?.text).not.toContain(token.slice(0, 20));
});

it('a call whose answer no key of the server opens any more is refused, and changes nothing', async () => {
  const key = newKey();
  await addUsers(key, 'rotated');
  const removed = new Secrets(randomBytes(32)).seal('{}', 'an answer');
  await server.app.services.db.query(sql`
    UPDATE idempotency_keys SET sealed_answer = ${removed} WHERE key = ${key} /* all tenants */`);
  const refused = await addUsers(key, 'rotated');
  expect(failureOf(refused)).toMatchObject(INVALID);
  expect(refused.body.error.message).toContain('SECRET_KEY');
  expect(await eventsOf('rotated')).toBe(1);
});

/** Runs `work` while the organization is locked, and then releases the lock. */
async function whileLocked(organizationId: string, work: () => Promise<void>): Promise<void> {
  const lock = 'SELECT FROM organizations WHERE organization_id = $1 FOR UPDATE';
  const { release } = await holdTransaction(server.databaseUrl, lock, [organizationId]);
  await work().finally(release);
}

async function addOrganization(): Promise<string> {
  const organizationId = fresh('organization');
  const organizations = [{ organizationId, organizationName: 'Before' }];
  await server.ok('/v2/organizations/add', { organizations });
  return organizationId;
}

const rename = (at: TestServer, key: string, organizationId: string) => {
  const organizations = [{ organizationId, organizationName: 'After' }];
  const headers = { ...server.keyHeaders, 'idempotency-key': key };
  return at.call('/v2/organizations/update', { organizations }, headers);
};

const isRunning = (key: string) =>
  eventually(async () => expect(await stored(key)).toHaveLength(1));

const WAITING = 40;

/** How often a process has looked for the answers of all calls that wait in it. */
const looksOf = async ({ url }: TestServer) =>
  (await scrape(url)).get(
    'background_pass_duration_seconds_count{loop="idempotency-answers",outcome="done"}',
  ) ?? 0;

it.each([
  ['in its process', () => server],
  ['in another process', () => another],
])(
  'many calls that wait for the first one %s are polled for together, and hold no connection',
  async (_where, elsewhere) => {
    const key = newKey();
    const organizationId = await addOrganization();
    const answers: Array<Promise<Answer>> = [];
    await whileLocked(organizationId, async () => {
      answers.push(rename(server, key, organizationId));
      await isRunning(key);
      const { pool } = elsewhere().app.services.db;
      const statements = await elsewhere().statementsOf(async () => {
        for (let n = 0; n < WAITING; n++) answers.push(rename(elsewhere(), key, organizationId));
        const before = await looksOf(elsewhere());
        await eventually(async () =>
          expect(await looksOf(elsewhere())).toBeGreaterThan(before + 2),
        );
        expect(pool.waitingCount).toBe(0);
      });
      const own = statements.filter((text) => text.includes('idempotency_keys'));
      // Each call looks for its answer at first, with two statements.
      expect(own.length).toBeLessThanOrEqual(2 * WAITING + (await looksOf(elsewhere())) + 1);
    });
    const [first, ...others] = await Promise.all(answers);
    expect(first?.status).toBe(200);
    for (const answer of others) expectSame(answer, first as Answer);
    const update = (await eventsOf(organizationId)) - 1;
    expect(update).toBe(1);
  },
);

describe('a call whose process', () => {
  it('died is repeated by the next call, once its lease is over', async () => {
    const key = newKey();
    const organizationId = await addOrganization();
    const { db } = server.app.services;
    const first = await rename(server, key, organizationId);
    // The state before the answer was stored.
    await db.query(sql`
      UPDATE idempotency_keys
      SET sealed_answer = NULL, owner = 'dead', lease_until = now() + interval '2 seconds'
      WHERE key = ${key} /* all tenants */`);
    expectSame(await rename(another, key, organizationId), first);
  });

  it('is slow is not repeated by an equal call, since its lease is renewed', async () => {
    const key = newKey();
    const organizationId = await addOrganization();
    const { db } = server.app.services;
    await whileLocked(organizationId, async () => {
      void rename(server, key, organizationId).catch(() => undefined);
      await isRunning(key);
      await db.query(sql`
        UPDATE idempotency_keys SET lease_until = now() WHERE key = ${key} /* all tenants */`);
      await eventually(async () => {
        const leased = await db.query(sql`
          SELECT 1 AS leased FROM idempotency_keys
          WHERE key = ${key} AND lease_until > now() /* all tenants */`);
        expect(leased).toHaveLength(1);
      });
    });
  });

  it('froze until another process took over changes nothing when it continues', async () => {
    const key = newKey();
    const organizationId = await addOrganization();
    await whileLocked(organizationId, async () => {
      void rename(server, key, organizationId).catch(() => undefined);
      await isRunning(key);
      await server.app.services.db.query(sql`
        UPDATE idempotency_keys SET owner = 'somebody else'
        WHERE key = ${key} /* all tenants */`);
    });
    const answer = await rename(another, key, organizationId);
    expect(answer.status).toBe(200);
    await eventually(async () => expectSame(await rename(server, key, organizationId), answer));
    expect((await eventsOf(organizationId)) - 1).toBe(1);
  });
});

it('expired keys are deleted, and others stay', async () => {
  const { db } = server.app.services;
  const kept = newKey();
  await addUsers(kept, 'kept');
  await db.query(sql`
      INSERT INTO idempotency_keys (tenant_id, path, key, request_hash, lease_until, expires_at)
      SELECT 'expired', 'users.add', n::text, '', now(), now() - interval '1 minute'
      FROM generate_series(1, 2500) AS n`);
  await deleteExpiredReservations({ db, clock });
  // The server's own task may have locked some of the rows, and deletes them a moment later.
  await eventually(async () => {
    const expired = await db.query(sql`
      SELECT FROM idempotency_keys WHERE tenant_id = 'expired'`);
    expect(expired).toEqual([]);
  });
  expect(await stored(kept)).toHaveLength(1);
});

const stored = (key: string) =>
  server.app.services.db.query<{ text: string }>(sql`
    SELECT row_to_json(k)::text AS text FROM idempotency_keys k
    WHERE key = ${key} /* all tenants */`);

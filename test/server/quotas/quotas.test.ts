import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Quotas } from '../../../src/api/quotas/quotas.ts';
import { measureStorage } from '../../../src/features/quotas/measure-storage.ts';
import { COUNTED_TABLES } from '../../../src/features/quotas/stored-bytes.ts';
import { Database, sql } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { dataOf, failureOf, fresh } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { quotasOf, remaining } from '../../support/quotas.ts';
import { createTenant, startTestServer } from '../../support/server.ts';
import { TENANT_TABLES } from '../../support/tenant-guard.ts';

const KILOBYTE = 1024;
const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
let headers: Record<string, string>;
let quotas: ReturnType<typeof quotasOf>;
let organizationId: string;
const server = await startTestServer({ ROLES: 'api' }, { clock });
const DATABASE_URL = server.databaseUrl;
const second = await startTestServer({ ROLES: 'api', DATABASE_URL }, { clock });
beforeEach(async () => {
  headers = await createTenant(server);
  quotas = quotasOf(server, headers);
  organizationId = fresh('org');
});

/** Random text does not compress. */
const random = (bytes: number) => randomBytes(bytes).toString('base64').slice(0, bytes);
const crdt = (bytes: number, editorId = 'body', at = server) => {
  const editor = { organizationId, documentId: 'doc', editorId, type: 'text' };
  return at.call('/v2/crdt/add', { ...editor, data: random(bytes) }, headers);
};
const addDocument = (at = server) => organize(at, organizationId, { documents: ['doc'] }, headers);
const read = (at = server) => at.call('/v2/organizations/get', {}, headers);
const trpc = async (path: string, input: object | object[], type: 'POST' | 'GET') => {
  const json = (one: object) => ({ json: one });
  const isBatch = Array.isArray(input);
  const text = JSON.stringify(isBatch ? Object.assign({}, input.map(json)) : json(input));
  const query = type === 'GET' ? `input=${encodeURIComponent(text)}` : '';
  const response = await fetch(`${server.url}/trpc/${path}?${isBatch ? 'batch=1&' : ''}${query}`, {
    method: type,
    headers: { 'content-type': 'application/json', ...headers },
    ...(type === 'POST' && { body: text }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};

/** Waits until the measured storage is as expected. */
const measured = (expected: (used: number) => void) =>
  eventually(async () => {
    clock.time += 61_000;
    await measureStorage(server.app.services);
    expected((await quotas.get()).storageBytes.used);
  });

it('a key without quotas gets no quota headers, over REST and tRPC', async () => {
  for (const { headers } of [await read(), await trpc('organizations.get', {}, 'GET')]) {
    expect(headers.get('ratelimit')).toBeNull();
    expect(headers.get('ratelimit-policy')).toBeNull();
  }
  expect((await quotas.get()).storageBytes).toEqual({ limit: null, isDefault: true, used: null });
});

const NO_OWN = { storageBytes: null, mailsPerDay: null, modelTokensPerDay: null };

it('a process that cannot write usage before it ends says so', async () => {
  const warnings: string[] = [];
  const { metrics } = server.app.services;
  const log = createLogger('warn', { write: (line) => void warnings.push(line) });
  const db = new Database({ url: DATABASE_URL, poolSize: 1, log });
  const defaults = { storageBytes: KILOBYTE, mailsPerDay: 0, modelTokensPerDay: 0 };
  const stopping = new Quotas({ db, clock, metrics, log, defaults });
  stopping.of(server.quickstart.apiKey, NO_OWN)?.countBytes(1);
  await db.close();
  await stopping.stop();
  expect(warnings.join()).toContain('The usage of an API key could not be written');
});

describe('the headers of a key with quotas', () => {
  beforeEach(() => quotas.set({ storageBytes: 100_000, mailsPerDay: 10, modelTokensPerDay: 500 }));

  it('name each quota and its remainder, in the syntax of the IETF draft', async () => {
    clock.time = Date.UTC(2027, 1, 1, 23, 59, 0);
    const { headers } = await read();
    expect(headers.get('ratelimit-policy')).toBe(
      '"storage";q=100000;qu="content-bytes", "mails";q=10;qu="mails";w=86400, ' +
        '"model-tokens";q=500;qu="model-tokens";w=86400',
    );
    expect(headers.get('ratelimit')).toBe(
      '"storage";r=100000, "mails";r=10;t=60, "model-tokens";r=500;t=60',
    );
  });

  it('are sent with failures, batches and single calls of tRPC', async () => {
    const answers = [
      await server.call('/v2/organizations/get', { pageSize: -1 }, headers),
      await trpc('organizations.get', {}, 'GET'),
      await trpc('organizations.get', { pageSize: -1 }, 'GET'),
      await trpc('organizations.get,organizations.get', [{}, { pageSize: -1 }], 'GET'),
    ];
    for (const answer of answers) expect(remaining(answer)).toMatchObject({ mails: 10 });
    expect(answers.map(({ status }) => status)).toEqual([400, 200, 400, 207]);
  });

  it('are exposed to pages of other origins, and add no statement to most requests', async () => {
    headers = { ...headers, origin: 'https://a.example' };
    expect((await read()).headers.get('access-control-expose-headers')).toContain('ratelimit');
    expect(await server.statementsOf(read)).toHaveLength(1);
  });
});

describe('the quota of storage', () => {
  beforeEach(async () => {
    await quotas.set({ storageBytes: 20 * KILOBYTE });
    await addDocument();
  });

  it('refuses a write that would exceed it, over REST and tRPC, with the reason', async () => {
    dataOf(await crdt(12 * KILOBYTE));
    const refused = await crdt(12 * KILOBYTE, 'more');
    expect(failureOf(refused)).toMatchObject({ http: 429, status: 'RESOURCE_EXHAUSTED' });
    const { details } = refused.body.error;
    expect(details).toEqual({ quota: 'storage', limit: 20 * KILOBYTE, used: details.used });
    expect(details.used).toBeGreaterThan(12 * KILOBYTE);
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(remaining(refused).storage).toBe(20 * KILOBYTE - details.used);
    const input = { organizationId, documentId: 'doc', editorId: 'b', type: 'text' };
    const large = { ...input, data: random(12 * KILOBYTE) };
    const single = await trpc('crdt.add', large, 'POST');
    expect(single.status).toBe(429);
    expect(single.body.error.json.data.details).toMatchObject({ quota: 'storage' });
    const small = { organizations: [{ organizationId: 'o' }] };
    const batch = await trpc('organizations.add,crdt.add', [small, large], 'POST');
    expect(batch.body[0].result).toBeDefined();
    expect(batch.body[1].error.json.data.details).toMatchObject({ quota: 'storage' });
    expect(remaining(batch).storage).toBeLessThan(20 * KILOBYTE - details.used + 1);
  });

  it('refuses a list of items as a whole', async () => {
    const documentIds = Array.from({ length: 30 }, (_, n) => `d-${n}`);
    const documents = documentIds.map((documentId) => ({ documentId, documentName: random(900) }));
    const add = (some: object[]) =>
      server.call('/v2/organizations/documents/add', { organizationId, documents: some }, headers);
    expect((await add(documents)).status).toBe(429);
    const place = { organizationId, documentIds };
    expect(await server.ok('/v2/organizations/documents/get', place, headers)).toEqual([]);
    expect(dataOf(await add(documents.slice(0, 1)))['d-0']).toMatchObject({ success: true });
  });

  it('has room for one of two calls at the same time that do not fit together', async () => {
    const own = { ...NO_OWN, storageBytes: 20 * KILOBYTE };
    const ofKey = server.app.services.quotas.of(headers['x-svc-api-key'] ?? '', own);
    const add = () => ofKey?.reserveStorage(12 * KILOBYTE);
    const outcomes = await Promise.allSettled([add(), add()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('counts nothing for a call that fails', async () => {
    await crdt(12 * KILOBYTE);
    const { storage } = remaining(await read());
    expect(failureOf(await crdt(2 * KILOBYTE)).status).toBe('ALREADY_EXISTS');
    expect(remaining(await read()).storage).toBe(storage);
  });

  it('allows reading and deleting when it is used up, and then writing again', async () => {
    dataOf(await crdt(17 * KILOBYTE));
    await measured((used) => expect(used).toBeGreaterThanOrEqual(17 * KILOBYTE));
    expect((await crdt(6 * KILOBYTE, 'more')).status).toBe(429);
    dataOf(await read());
    const place = { organizationId, documentId: 'doc', editorId: 'body' };
    await server.ok('/v2/crdt/delete', place, headers);
    await measured((used) => expect(used).toBeLessThanOrEqual(2 * KILOBYTE));
    await eventually(async () => dataOf(await crdt(6 * KILOBYTE, 'more')));
  });

  it('applies at every process within two seconds', async () => {
    await addDocument(second);
    await crdt(12 * KILOBYTE);
    await eventually(async () =>
      expect(remaining(await read(second)).storage).toBeLessThan(8 * KILOBYTE),
    );
    expect((await crdt(12 * KILOBYTE, 'more', second)).status).toBe(429);
  });

  it('lets a call with an Idempotency-Key be repeated at once after a refusal, and for its stored answer', async () => {
    const keyed = { ...headers, 'idempotency-key': fresh('key') };
    const editor = { organizationId, documentId: 'doc', editorId: 'k', type: 'text' };
    const large = { ...editor, data: random(24 * KILOBYTE) };
    const add = () => server.call('/v2/crdt/add', large, keyed);
    expect((await add()).status).toBe(429);
    const reservations = sql`
      SELECT path FROM idempotency_keys
      WHERE key = ${keyed['idempotency-key']} /* all tenants */`;
    expect(await server.app.services.db.query<{ path: string }>(reservations)).toEqual([]);
    await quotas.set({ storageBytes: 100 * KILOBYTE });
    const answer = dataOf(await add());
    await quotas.set({ storageBytes: 1 });
    expect(dataOf(await add()), 'used up').toEqual(answer);
    expect((await crdt(10, 'more')).status).toBe(429);
  });

  it('counts every table of tenants, or excludes it with a reason', () => {
    const others = [...TENANT_TABLES].filter((name) => !COUNTED_TABLES.some((one) => one === name));
    expect(others.sort()).toEqual(Object.values(NOT_COUNTED).flat().sort());
  });
});

describe('quotas of one key', () => {
  it('override the defaults: 0 allows none, null restores the default', async () => {
    const withDefaults = await startTestServer(
      { ROLES: 'api', QUOTA_STORAGE_BYTES: '5000', QUOTA_MAILS_PER_DAY: '7' },
      { clock },
    );
    const own = quotasOf(withDefaults, withDefaults.keyHeaders);
    const left = async () => remaining(await withDefaults.call('/v2/organizations/get', {}));
    expect(await left()).toEqual({ storage: 5000, mails: 7 });
    await own.set({ storageBytes: 0, modelTokensPerDay: 9 });
    expect(await left()).toEqual({ mails: 7, 'model-tokens': 9 });
    expect(await own.set({ storageBytes: null })).toEqual({
      apiKey: withDefaults.quickstart.apiKey,
      storageBytes: { limit: 5000, isDefault: true, used: 0 },
      mailsPerDay: { limit: 7, isDefault: true, used: 0 },
      modelTokensPerDay: { limit: 9, isDefault: false, used: 0 },
    });
    expect(await left()).toEqual({ storage: 5000, mails: 7, 'model-tokens': 9 });
  });

  it.each(['get', 'update'])('of an unknown key are not found: %s', async (operation) => {
    const path = `/v2/workspace/apikey/quotas/${operation}`;
    const data = { apiKey: 'unknown', mailsPerDay: 5 };
    const answer = await server.call(path, data, server.adminHeaders);
    expect(failureOf(answer).status).toBe('NOT_FOUND');
  });

  it('are separate for every key', async () => {
    await quotas.set({ storageBytes: 1 });
    const organizations = [{ organizationId }];
    const other = await createTenant(server);
    const added = await server.call('/v2/organizations/add', { organizations }, other);
    expect([added.status, remaining(added)]).toEqual([200, {}]);
  });
});

const NOT_COUNTED: Record<string, string[]> = {
  'deleted by the service after a time': [
    ...['crdt_history', 'event_outbox', 'events', 'held_notifications', 'idempotency_keys'],
    ...['mails', 'memory_spellings_refills', 'presence', 'presence_connections', 'transfers'],
    ...['used_stream_tickets', 'webhook_attempts', 'webhook_deliveries', 'webhook_queues'],
  ],
  'made from judgments': [
    ...['memory_calibrations', 'memory_embeddings', 'memory_spellings', 'memory_terms'],
    'memory_watches',
  ],
  'kept so that deleted data stays deleted': ['crdt_clients', 'crdt_tombstones', 'erasures'],
  'settings and access': [
    ...['auth_tokens', 'grants', 'memory_configs', 'notification_preferences'],
    ...['service_settings', 'webhook_endpoints'],
  ],
  bookkeeping: [
    ...['activity_chains', 'annotation_counters', 'annotation_users', 'event_retention'],
    'quota_usages',
  ],
};

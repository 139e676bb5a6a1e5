import { describe, expect, it } from 'vitest';
import { itemsIn } from '../../../src/api/limits/work-limits.ts';
import type { Headers } from '../../support/answers.ts';
import { callConsole, consoleFailure, credentialsOf, signInTo } from '../../support/console.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { firstStreamMessage } from '../../support/first-stream-message.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { restFailure } from '../../support/operations.ts';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';

const server = await startTestServer({ ITEMS_PER_SECOND: '10', BYTES_PER_SECOND: '1000' });

const readEvents = (headers: Headers, on = server) => on.call('/v2/events/get', {}, headers);

async function expectRefusal(headers: Headers, limit: string): Promise<void> {
  const answer = await readEvents(headers);
  const failure = { http: 429, status: 'RESOURCE_EXHAUSTED', details: { limit } };
  expect(restFailure(answer)).toMatchObject(failure);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(1);
}

describe('a key with expensive calls', () => {
  it.each([
    ['items', 400, {}],
    ['bytes', 20, { photoUrl: `https://example.com/${'a'.repeat(1_500)}` }],
  ])('is served once, and then refused for its %s alone', async (limit, length, fields) => {
    const [key, other] = [await createTenant(server), await createTenant(server)];
    const users = Array.from({ length }, (_, n) => ({ userId: `u${n}`, ...fields }));
    await server.ok('/v1/users/add', { organizationId: 'acme', users }, key);
    await expectRefusal(key, limit);
    expect((await readEvents(other)).status).toBe(200);
  });

  it('is refused in the console too, except to an administrator', async () => {
    const { keyHeaders, quickstart, url } = server;
    const users = Array.from({ length: 400 }, (_, n) => ({ userId: `u${n}` }));
    await server.call('/v1/users/add', { organizationId: 'acme', users }, keyHeaders);
    const { operator, administrator } = credentialsOf(server);
    const ask = async (credentials: object) => {
      const { cookie } = await signInTo(url, credentials);
      const call = { url, cookie, apiKey: quickstart.apiKey };
      return consoleFailure(call, 'console.events.list', 'query', {});
    };
    expect((await ask(operator))?.details).toEqual({ limit: 'items' });
    expect(await ask(administrator)).toBeUndefined();
  });

  it('is charged for the bytes of a subscription over a WebSocket', async () => {
    const key = await createTenant(server);
    await organize(server, 'acme', { documents: ['plan'] }, key);
    const place = { organizationId: 'acme', documentId: 'plan', unknown: '€'.repeat(9_000) };
    expect(await firstStreamMessage(server, place, key)).toMatchObject({
      result: { type: 'started' },
    });
    await expectRefusal(key, 'bytes');
  });

  it('is refused after its statements have used up their time', async () => {
    const { databaseUrl } = server;
    const slow = await startTestServer({ DATABASE_URL: databaseUrl, DATABASE_MS_PER_SECOND: '1' });
    const [key, other] = [await createTenant(server), await createTenant(server)];
    await eventually(async () => {
      const calls = Array.from({ length: 20 }, () => readEvents(key, slow));
      const failures = (await Promise.all(calls)).map((answer) => restFailure(answer)?.details);
      expect(failures).toContainEqual({ limit: 'databaseMs' });
    });
    expect((await readEvents(other, slow)).status).toBe(200);
  });

  it('is charged for the top-level lists of its input', () => {
    expect(itemsIn({ users: [1, 2], permissions: { resources: [3] }, note: 'text' })).toBe(3);
    expect(itemsIn({ deep: { deeper: { list: [1, 2, 3] } } })).toBe(0);
  });
});

/** A server whose organizations are locked, and a call that changes all of them. */
async function startHolding(environment: Record<string, string>, length = 1) {
  const holding = await startTestServer(environment);
  const organizations = Array.from({ length }, (_, n) => ({ organizationId: `acme-${n}` }));
  await holding.ok('/v2/organizations/add', { organizations });
  const lock = await holdTransaction(holding.databaseUrl, 'SELECT FROM organizations FOR UPDATE');
  const write = (more: Headers = {}) =>
    holding.call('/v2/organizations/update', { organizations }, { ...holding.keyHeaders, ...more });
  return { holding, lock, write, waiting: () => waitingAt(holding) };
}

const waitingAt = async ({ app }: TestServer) =>
  (await app.services.metrics.callsWaiting.get()).values;

describe.concurrent('calls that hang in the database', () => {
  it('leave connections to other keys, wait in a queue, and are refused after a while', async () => {
    const { holding, lock, write } = await startHolding({ DATABASE_POOL_SIZE: '6' });
    const other = await createTenant(holding);
    let refused = 0;
    const writes = Array.from({ length: 12 }, async () => {
      const answer = await write();
      if (answer.status === 429) refused++;
      return answer;
    });
    for (let read = 0; read < 10; read++) {
      expect((await readEvents(other, holding)).status).toBe(200);
    }
    expect(refused).toBe(0);
    // Three calls may run at once, or two while another key is active.
    await eventually(() => expect(refused).toBeGreaterThanOrEqual(9));
    await lock.release();
    const failures = (await Promise.all(writes)).flatMap((answer) => restFailure(answer) ?? []);
    for (const failure of failures) {
      expect(failure).toMatchObject({ http: 429, details: { limit: 'callsInFlight' } });
    }
    expect([9, 10]).toContain(failures.length);
    expect((await write()).status).toBe(200);
  });

  it('wait in the queue of the key if its operator makes them in the console, but not if an administrator does', async () => {
    const holding = await startTestServer({ CALLS_IN_FLIGHT_PER_KEY: '1' });
    const { url, quickstart } = holding;
    const { operator, administrator } = credentialsOf(holding);
    const callAs = async (credentials: object) => {
      const { cookie } = await signInTo(url, credentials);
      return { url, cookie, apiKey: quickstart.apiKey };
    };
    const [own, others] = [await callAs(operator), await callAs(administrator)];
    const lock = await holdTransaction(holding.databaseUrl, 'LOCK TABLE events');
    const list = () => callConsole(own, 'console.events.list', 'query', {});
    const calls = [list(), list()];
    await eventually(async () => expect(await waitingAt(holding)).toMatchObject([{ value: 1 }]));
    await callConsole(others, 'console.directory.find', 'query', { q: '' });
    await lock.release();
    await Promise.all(calls);
  });

  it('leave permits to small calls of their key if they are large', async () => {
    const environment = { CALLS_IN_FLIGHT_PER_KEY: '3' };
    const { holding, lock, write, waiting } = await startHolding(environment, 300);
    let answered = 0;
    const writes = Array.from({ length: 3 }, async () => {
      const answer = await write();
      answered++;
      return answer;
    });
    for (let read = 0; read < 5; read++) {
      expect((await readEvents(holding.keyHeaders, holding)).status).toBe(200);
    }
    expect(answered).toBe(0);
    expect(await waiting()).toMatchObject([{ value: 1 }]);
    await lock.release();
    for (const { status } of await Promise.all(writes)) expect(status).toBe(200);
  });

  it('with one Idempotency-Key wait without statements, and release it when refused', async () => {
    const environment = { CALLS_IN_FLIGHT_PER_KEY: '1' };
    const { holding, lock, write, waiting } = await startHolding(environment);
    const first = write();
    await lock.holdsUp(1);
    const again = () => write({ 'idempotency-key': 'again' });
    const same: Array<ReturnType<typeof write>> = [];
    const meanwhile = await holding.statementsOf(async () => {
      same.push(...Array.from({ length: 4 }, again));
      await eventually(async () => expect(await waiting()).toMatchObject([{ value: 4 }]));
      await readEvents(await createTenant(holding), holding);
    });
    expect(meanwhile.filter((text) => text.includes('idempotency_keys'))).toEqual([]);
    const refused = await Promise.all(same);
    await lock.release();
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    for (const { status } of [await first, await again()]) expect(status).toBe(200);
  });
});

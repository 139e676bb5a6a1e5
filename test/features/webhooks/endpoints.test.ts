import { describe, expect, it } from 'vitest';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { createTenant, startTestServer } from '../../support/server.ts';
import {
  copyEndpoint,
  createEndpoint,
  PATHS,
  secretOf,
  setAdvancedWebhooks,
  webhookTenant,
} from '../../support/webhooks.ts';

let now = Date.UTC(2027, 0, 5, 9);
const server = await startTestServer({}, { clock: { now: () => now } });
const headers = await webhookTenant(server);

const url = 'https://hooks.example.com/in';
const call = (path: string, data: object, own = headers) => server.call(path, data, own);
const update = (data: object) => call(PATHS.update, data);
const nothing = { description: null, filterTypes: null, channels: null, rateLimit: null };
const unset = { ...nothing, disabled: false, uid: null, metadata: null };
const full = {
  url,
  description: 'Comments',
  filterTypes: ['comment.add', 'endpoint.disabled'],
  channels: ['document:d'],
  disabled: true,
  rateLimit: 7,
  metadata: { z: 'last', a: 'first' },
};

describe('creating an endpoint', () => {
  it('returns it without its secret, and with null for fields that were not given', async () => {
    const created = dataOf(await call(PATHS.create, { url }));
    const at = new Date(now).toISOString();
    const times = { createdAt: at, updatedAt: at };
    expect(created).toEqual({ id: expect.stringMatching(/^\w{20}$/), url, ...unset, ...times });
    const uid = fresh('uid');
    const all = await createEndpoint(server, headers, { ...full, uid });
    expect(all).toMatchObject({ ...full, uid });
    expect(Object.keys(all.metadata)).toEqual(['z', 'a']);
  });

  it('refuses more than 1,000 endpoints of a key, also when they are created at the same time', async () => {
    const own = await webhookTenant(server);
    await createEndpoint(server, own, { url });
    await copyEndpoint(server, own, 998);
    const calls = Array.from({ length: 4 }, () => call(PATHS.create, { url }, own));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 429, 429, 429]);
  });

  it('refuses a uid that exists in the key', async () => {
    const uid = fresh('uid');
    await createEndpoint(server, headers, { url, uid });
    expect(failureOf(await call(PATHS.create, { url, uid })).status).toBe('ALREADY_EXISTS');
    await createEndpoint(server, await webhookTenant(server), { url, uid });
  });

  it('refuses malformed fields, also in an update', async () => {
    const { id } = await createEndpoint(server, headers, { url });
    for (const [path, given] of [
      ['url', { url: 'ftp://example.com' }],
      ['url', { url: 'hooks.example.com' }],
      ['url', { url: 'https://user:secret@example.com' }],
      ['url', { url: `https://example.com/${'x'.repeat(2048)}` }],
      ['filterTypes', { filterTypes: [] }],
      ['filterTypes[1]', { filterTypes: ['comment.add', 'comment.ad'] }],
      ['channels', { channels: [] }],
      ['rateLimit', { rateLimit: 0 }],
      ['metadata.a', { metadata: { a: 1 } }],
    ] as const) {
      expect((await call(PATHS.create, { url, ...given })).body).toEqual(invalid(path));
      expect((await update({ endpointId: id, ...given })).body).toEqual(invalid(path));
    }
  });
});

describe('updating an endpoint', () => {
  it('changes the given fields, keeps the others, and returns the result', async () => {
    const uid = fresh('uid');
    const before = await createEndpoint(server, headers, { ...full, uid });
    now += 60_000;
    const answer = await update({ endpointId: before.id, rateLimit: 9, disabled: false });
    const after = { ...before, rateLimit: 9, disabled: false };
    expect(dataOf(answer)).toEqual({ ...after, updatedAt: new Date(now).toISOString() });
    const metadata = dataOf(await update({ endpointId: before.id, metadata: { b: 'c' } }));
    expect(metadata).toEqual({ ...dataOf(answer), metadata: { b: 'c' } });
    const nothing = await update({ endpointId: before.id });
    expect(failureOf(nothing)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
  });

  it('applies both of two concurrent updates', async () => {
    const { id } = await createEndpoint(server, headers, { url });
    await Promise.all([
      update({ endpointId: id, description: 'one' }),
      update({ endpointId: id, rateLimit: 3 }),
    ]);
    const { endpoints } = dataOf(await call(PATHS.get, { limit: 250 }));
    expect(endpoints).toContainEqual(
      expect.objectContaining({ id, description: 'one', rateLimit: 3 }),
    );
  });
});

it('a deleted endpoint is gone with its secret', async () => {
  const { id: endpointId } = await createEndpoint(server, headers, { url });
  expect(dataOf(await call(PATHS.delete, { endpointId }))).toEqual({ endpointId, deleted: true });
  expect(failureOf(await call(PATHS.delete, { endpointId })).status).toBe('NOT_FOUND');
  const secret = await call(PATHS.getSecret, { endpointId });
  expect(failureOf(secret).reason).toBe('endpoint_not_found');
});

it('the list of endpoints pages forwards and backwards', async () => {
  const own = await webhookTenant(server);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await createEndpoint(server, own, { url })).id);
  const page = async (iterator?: string) =>
    dataOf(await call(PATHS.get, { limit: 2, iterator }, own));
  const idsOf = ({ endpoints }: { endpoints: Array<{ id: string }> }) =>
    endpoints.map(({ id }) => id);
  const first = await page();
  expect(first).toMatchObject({ prevIterator: null, done: false });
  const second = await page(first.iterator);
  const third = await page(second.iterator);
  expect([first, second, third].flatMap(idsOf)).toEqual(ids);
  expect(third).toMatchObject({ iterator: null, done: true });
  const back = await page(third.prevIterator);
  const start = await page(back.prevIterator);
  expect(start).toMatchObject({ prevIterator: null });
  expect([back, start].map(idsOf)).toEqual([second, first].map(idsOf));
  expect(idsOf(await page(start.iterator))).toEqual(idsOf(second));
});

it('the secret of an endpoint has 32 bytes, is its own, and may change ten times a day', async () => {
  const { id } = await createEndpoint(server, headers, { url });
  const { id: other } = await createEndpoint(server, headers, { url });
  const rotate = () => call(PATHS.rotateSecret, { endpointId: id });
  const secrets = [await secretOf(server, headers, id), await secretOf(server, headers, other)];
  // Each one signs for another day.
  for (let n = 0; n < 10; n++) secrets.push(dataOf(await rotate()).secret);
  expect(new Set(secrets).size).toBe(12);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  }
  expect(await secretOf(server, headers, id)).toBe(secrets.at(-1));
  expect(failureOf(await rotate())).toMatchObject({ http: 429, status: 'RESOURCE_EXHAUSTED' });
  now += 24 * 3_600_000;
  dataOf(await rotate());
});

it('while advanced webhooks are disabled, every operation on them is FAILED_PRECONDITION', async () => {
  const own = await createTenant(server);
  const any = { url, endpointId: 'any', deliveryId: 'any', since: now, disabled: true };
  for (const path of Object.values(PATHS)) {
    expect(failureOf(await call(path, any, own)), path).toMatchObject({
      http: 400,
      status: 'FAILED_PRECONDITION',
    });
  }
  await setAdvancedWebhooks(server, own, true);
  dataOf(await call(PATHS.create, { url }, own));
});

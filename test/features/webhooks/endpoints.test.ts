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
const unset = {
  description: null,
  filterTypes: null,
  channels: null,
  disabled: false,
  rateLimit: null,
  uid: null,
  metadata: null,
};
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
    expect(created).toEqual({
      id: expect.stringMatching(/^\w{20}$/),
      url,
      ...unset,
      createdAt: at,
      updatedAt: at,
    });
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
    expect(failureOf(await call(PATHS.create, { url, uid }))).toMatchObject({
      http: 409,
      status: 'ALREADY_EXISTS',
    });
    await createEndpoint(server, await webhookTenant(server), { url, uid });
  });

  it.each([
    ['url', { url: 'ftp://example.com' }],
    ['url', { url: 'hooks.example.com' }],
    ['url', { url: 'https://user:secret@example.com' }],
    ['url', { url: `https://example.com/${'x'.repeat(2048)}` }],
    ['filterTypes', { filterTypes: [] }],
    ['filterTypes[1]', { filterTypes: ['comment.add', 'comment.ad'] }],
    ['channels', { channels: [] }],
    ['rateLimit', { rateLimit: 0 }],
    ['rateLimit', { rateLimit: 1.5 }],
    ['metadata.a', { metadata: { a: 1 } }],
  ])('refuses the field %s of %j, also in an update', async (path, given) => {
    const created = await call(PATHS.create, { url, ...given });
    expect(created.body).toEqual(invalid(path));
    const endpoint = await createEndpoint(server, headers, { url });
    const updated = await update({ endpointId: endpoint.id, ...given });
    expect(updated.body).toEqual(invalid(path));
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
    expect(answer.body.result.message).toBe('Advanced webhook endpoint updated successfully.');
    const metadata = dataOf(await update({ endpointId: before.id, metadata: { b: 'c' } }));
    expect(metadata).toEqual({ ...dataOf(answer), metadata: { b: 'c' } });
  });

  it('requires a field', async () => {
    const { id } = await createEndpoint(server, headers, { url });
    const nothing = await update({ endpointId: id });
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

describe('deleting an endpoint', () => {
  it('removes it with its secret', async () => {
    const { id } = await createEndpoint(server, headers, { url });
    const answer = await call(PATHS.delete, { endpointId: id });
    expect(dataOf(answer)).toEqual({ endpointId: id, deleted: true });
    expect(failureOf(await call(PATHS.delete, { endpointId: id }))).toMatchObject({
      http: 404,
      status: 'NOT_FOUND',
    });
    expect(failureOf(await call(PATHS.getSecret, { endpointId: id }))).toMatchObject({
      reason: 'endpoint_not_found',
    });
  });
});

it('the list of endpoints pages forwards and backwards', async () => {
  const own = await webhookTenant(server);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) {
    ids.push((await createEndpoint(server, own, { url: `${url}/${n}` })).id);
  }
  const page = async (iterator?: string) =>
    dataOf(await call(PATHS.get, { limit: 2, iterator }, own));
  const idsOf = (answer: { endpoints: Array<{ id: string }> }) =>
    answer.endpoints.map(({ id }) => id);
  const first = await page();
  expect(first).toMatchObject({ prevIterator: null, done: false });
  const second = await page(first.iterator);
  const third = await page(second.iterator);
  expect([first, second, third].map(idsOf)).toEqual([
    ids.slice(0, 2),
    ids.slice(2, 4),
    ids.slice(4),
  ]);
  expect(third).toMatchObject({ iterator: null, done: true });
  const back = await page(third.prevIterator);
  expect(idsOf(back)).toEqual(ids.slice(2, 4));
  const start = await page(back.prevIterator);
  expect(idsOf(start)).toEqual(ids.slice(0, 2));
  expect(start).toMatchObject({ prevIterator: null });
  expect(idsOf(await page(start.iterator))).toEqual(ids.slice(2, 4));
});

describe('the secret of an endpoint', () => {
  it('has 32 bytes, differs for each endpoint, and changes with a rotation', async () => {
    const [one, two] = [
      await createEndpoint(server, headers, { url }),
      await createEndpoint(server, headers, { url }),
    ];
    const secrets = [
      await secretOf(server, headers, one.id),
      await secretOf(server, headers, two.id),
      dataOf(await call(PATHS.rotateSecret, { endpointId: one.id })).secret,
    ];
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
    expect(await secretOf(server, headers, one.id)).toBe(secrets[2]);
  });

  it('can be rotated ten times a day, since each one signs for another day', async () => {
    const { id } = await createEndpoint(server, headers, { url });
    const rotate = () => call(PATHS.rotateSecret, { endpointId: id });
    for (let n = 0; n < 10; n++) dataOf(await rotate());
    expect(failureOf(await rotate())).toMatchObject({ http: 429, status: 'RESOURCE_EXHAUSTED' });
    now += 24 * 3_600_000;
    dataOf(await rotate());
  });
});

it('while advanced webhooks are disabled, every operation on them is FAILED_PRECONDITION', async () => {
  const own = await createTenant(server);
  const endpointId = 'any';
  const calls: Array<[string, object]> = [
    [PATHS.create, { url }],
    [PATHS.get, {}],
    [PATHS.update, { endpointId, disabled: true }],
    [PATHS.delete, { endpointId }],
    [PATHS.recover, { endpointId, since: now }],
    [PATHS.getSecret, { endpointId }],
    [PATHS.rotateSecret, { endpointId }],
    [PATHS.deliveries, {}],
    [PATHS.resend, { deliveryId: 'any' }],
  ];
  for (const [path, data] of calls) {
    expect(failureOf(await call(path, data, own)), path).toEqual({
      http: 400,
      status: 'FAILED_PRECONDITION',
      reason: undefined,
    });
  }
  await setAdvancedWebhooks(server, own, true);
  dataOf(await call(PATHS.create, { url }, own));
});

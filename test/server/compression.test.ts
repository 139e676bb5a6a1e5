import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
await addUsers('acme', 400);

async function addUsers(organizationId: string, count: number): Promise<void> {
  const users = Array.from({ length: count }, (_, at) => ({
    userId: `u-${at}`,
    name: `User ${at}`,
  }));
  await server.ok('/v1/users/add', { organizationId, users });
}

/** POSTs through a proxy that names the client, if any, without a library that decodes by itself. */
async function rawFrom(
  from: string | undefined,
  path: string,
  body: object,
  encoding: string | undefined,
) {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  const headers = {
    ...server.keyHeaders,
    'content-type': 'application/json',
    ...(from === undefined ? {} : { 'x-forwarded-for': from }),
    ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
  };
  request(server.url + path, { method: 'POST', headers }, resolve)
    .on('error', reject)
    .end(JSON.stringify(body));
  const answer = await promise;
  const bytes = Buffer.concat(await answer.toArray());
  return { encoding: answer.headers['content-encoding'], vary: answer.headers.vary, bytes };
}

const raw = (path: string, body: object, encoding: string | undefined) =>
  rawFrom('192.0.2.1', path, body, encoding);

const REST = ['/v2/users/get', { data: { organizationId: 'acme', pageSize: 400 } }] as const;
const TRPC = ['/trpc/users.get', { json: { organizationId: 'acme', pageSize: 400 } }] as const;

it.each([REST, TRPC])(
  'a server sends %s compressed to clients that ask for it',
  async (path, body) => {
    const plain = await raw(path, body, undefined);
    expect(plain.encoding).toBeUndefined();
    const packed = await raw(path, body, 'br, gzip;q=0.8');
    expect(packed.encoding).toBe('gzip');
    expect(packed.vary).toContain('accept-encoding');
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(JSON.parse(String(gunzipSync(packed.bytes)))).toEqual(JSON.parse(String(plain.bytes)));
  },
);

it.each(['identity', 'gzip;q=0', 'gzip;q=0, *', 'br'])(
  'a server sends answers uncompressed to clients that accept %s',
  async (encoding) => {
    expect((await raw(...REST, encoding)).encoding).toBeUndefined();
  },
);

it('a server sends answers uncompressed to clients on the same machine', async () => {
  const local = await rawFrom(undefined, ...REST, 'gzip');
  expect(local.encoding).toBeUndefined();
});

it.each([REST, TRPC])('a server sends short answers of %s uncompressed', async (path, body) => {
  const one = { organizationId: 'acme', userIds: ['u-1'] };
  const short = 'data' in body ? { data: one } : { json: one };
  const answer = await raw(path, short, 'gzip');
  expect(answer.encoding).toBeUndefined();
  expect(String(answer.bytes)).toContain('u-1');
});

it.each([REST, TRPC])('a server compresses long answers of %s in parts', async (path, body) => {
  await addUsers('large', 1_000);
  const input = { organizationId: 'large', pageSize: 1_000 };
  const answer = await raw(path, 'data' in body ? { data: input } : { json: input }, 'gzip');
  expect(answer.encoding).toBe('gzip');
  expect(String(gunzipSync(answer.bytes))).toContain('u-999');
});

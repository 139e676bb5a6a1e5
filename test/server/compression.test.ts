import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
const users = Array.from({ length: 1_000 }, (_, at) => ({ userId: `u-${at}`, name: `User ${at}` }));
await server.ok('/v1/users/add', { organizationId: 'acme', users: users.slice(0, 400) });
// Answers of this length are serialized and compressed in parts.
await server.ok('/v1/users/add', { organizationId: 'large', users });

/** POSTs without a library that decodes by itself, through a proxy by default. */
async function raw(
  [path, body]: readonly [string, object],
  encoding?: string,
  proxied: object = { 'x-forwarded-for': '192.0.2.1' },
) {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  const headers = {
    ...server.keyHeaders,
    'content-type': 'application/json',
    ...proxied,
    ...(encoding && { 'accept-encoding': encoding }),
  };
  request(server.url + path, { method: 'POST', headers }, resolve)
    .on('error', reject)
    .end(JSON.stringify(body));
  const answer = await promise;
  const bytes = Buffer.concat(await answer.toArray());
  return { encoding: answer.headers['content-encoding'], vary: answer.headers.vary, bytes };
}

const rest = (data: object) => ['/v2/users/get', { data }] as const;
const trpc = (json: object) => ['/trpc/users.get', { json }] as const;

it.each([
  ['REST', rest],
  ['tRPC', trpc],
])(
  'a server sends long answers of %s compressed to clients that ask for it, and short ones as they are',
  async (_what, call) => {
    for (const organizationId of ['acme', 'large']) {
      const input = { organizationId, pageSize: 1_000 };
      const plain = await raw(call(input));
      expect(plain.encoding).toBeUndefined();
      const packed = await raw(call(input), 'br, gzip;q=0.8');
      expect(packed.encoding).toBe('gzip');
      expect(packed.vary).toContain('accept-encoding');
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
      expect(String(gunzipSync(packed.bytes))).toBe(String(plain.bytes));
    }
    const short = await raw(call({ organizationId: 'acme', userIds: ['u-1'] }), 'gzip');
    expect(short.encoding).toBeUndefined();
    expect(String(short.bytes)).toContain('u-1');
  },
);

it('a server sends answers uncompressed to clients that do not accept gzip, or are on the same machine', async () => {
  const long = rest({ organizationId: 'acme', pageSize: 400 });
  for (const encoding of ['identity', 'gzip;q=0', 'gzip;q=0, *', 'br']) {
    expect((await raw(long, encoding)).encoding, encoding).toBeUndefined();
  }
  expect((await raw(long, 'gzip', {})).encoding).toBeUndefined();
});

import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Headers } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { postOf, type RawClient, rawClient } from '../support/raw-http.ts';
import { createTenant, startTestServer } from '../support/server.ts';

const TEXT = 16_000;
const ANNOTATIONS = 1_000;
/** More than the operating system keeps for a connection, so that a part of each answer stays unread. */
const ANSWER = ANNOTATIONS * TEXT;
const READ = '/v2/commentannotations/get';
const EXPORT = '/v2/activities/export';

/** There is room for two answers. */
const server = await startTestServer({
  BODY_MEMORY_BYTES: String(2.5 * ANSWER),
  RATE_LIMIT_PER_SECOND: '0',
});
const place = { organizationId: 'acme', documentId: 'plan' };

async function fill(headers: Headers): Promise<void> {
  const activity = { activityServiceConfig: { isEnabled: true } };
  dataOf(await server.call('/v2/workspace/activityconfig/update', activity, headers));
  const part = Array.from({ length: ANNOTATIONS / 4 }, () => ({
    commentData: [{ commentText: 'x'.repeat(TEXT), from: { userId: 'ada' } }],
  }));
  const create = { createOrganization: true, createDocument: true };
  for (const commentAnnotations of [part, part, part, part]) {
    const data = { ...place, ...create, commentAnnotations };
    dataOf(await server.call('/v2/commentannotations/add', data, headers));
  }
  // The export has nothing to send before the activities are recorded.
  await eventually(async () => {
    const { rows } = await server.app.services.db.pool.query(
      'SELECT count(*)::int FROM activities WHERE tenant_id = $1',
      [headers['x-svc-api-key']],
    );
    expect(rows).toEqual([{ count: ANNOTATIONS }]);
  });
}

let other: Headers;
beforeAll(async () => {
  other = await createTenant(server);
  await Promise.all([fill(server.keyHeaders), fill(other)]);
}, 120_000);

/** A client that asks for a long answer, and stops reading at its first bytes. */
async function slowReader(request: string): Promise<RawClient> {
  const client = await rawClient(server.url);
  client.socket.once('data', () => client.socket.pause());
  await client.send(request);
  await eventually(() => expect(client.received).toContain('200 OK'));
  return client;
}

const reading = (headers: Headers) =>
  postOf(READ, { organizationId: 'acme', pageSize: ANNOTATIONS }, headers);

/** Lets a client read the rest. Resolves with the length of what it received, once the server has closed. */
async function receivedBy(client: RawClient): Promise<number> {
  client.socket.resume();
  await client.ended();
  return client.received.length;
}

const typed = (headers: Headers) => {
  const json = JSON.stringify({ json: { organizationId: 'acme', pageSize: ANNOTATIONS } });
  const lines = Object.entries({
    host: 'test',
    ...headers,
    'content-type': 'application/json',
    'content-length': json.length,
  });
  const head = lines.map((line) => line.join(': ')).join('\r\n');
  return `POST /trpc/commentAnnotations.get HTTP/1.1\r\n${head}\r\n\r\n${json}`;
};

describe('answers that their clients do not read', () => {
  it.each([
    ['REST', reading],
    ['tRPC', typed],
    ['an export', (headers: Headers) => postOf(EXPORT, { organizationId: 'acme' }, headers)],
  ])('share a memory limit, above which the oldest is cut off: %s', async (_what, request) => {
    const clients: RawClient[] = [];
    for (let count = 0; count < 3; count++)
      clients.push(await slowReader(request(server.keyHeaders)));
    const [oldest, , newest] = clients as [RawClient, RawClient, RawClient];
    expect(await receivedBy(oldest)).toBeLessThan(ANSWER);
    newest.socket.resume();
    await eventually(() => expect(newest.received.length).toBeGreaterThan(ANSWER), 10_000);
    for (const { socket } of clients) socket.destroy();
  });

  it('are cut off at the key with the most of them', async () => {
    const first = await slowReader(reading(other));
    const clients: RawClient[] = [];
    for (let count = 0; count < 3; count++)
      clients.push(await slowReader(reading(server.keyHeaders)));
    first.socket.resume();
    expect((await first.answer()).status).toBe(200);
    expect(await receivedBy(clients[0] as RawClient)).toBeLessThan(ANSWER);
  });

  it('do not count once they are read', async () => {
    for (let count = 0; count < 4; count++) {
      const client = await rawClient(server.url);
      await client.send(reading(server.keyHeaders));
      expect((await client.answer()).status).toBe(200);
    }
  });
});

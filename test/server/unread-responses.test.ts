import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Headers } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { headOf, postOf, type RawClient, rawClient } from '../support/raw-http.ts';
import { createTenant, startTestServer } from '../support/server.ts';

const TEXT = 40_000;
const ANNOTATIONS = 400;
/** More than the operating system keeps for a connection, so that a part of each answer stays unread. */
const ANSWER = ANNOTATIONS * TEXT;
const READ = '/v2/commentannotations/get';
const EXPORT = '/v2/activities/export';

/** There is room for two answers. */
const server = await startTestServer({
  BODY_MEMORY_BYTES: String(2.5 * ANSWER),
});
const place = { organizationId: 'acme', documentId: 'plan' };

async function fill(headers: Headers): Promise<void> {
  const part = Array.from({ length: ANNOTATIONS / 4 }, () => ({
    commentData: [{ commentText: 'x'.repeat(TEXT), from: { userId: 'ada' } }],
  }));
  const create = { createOrganization: true, createDocument: true };
  for (const commentAnnotations of [part, part, part, part]) {
    const data = { ...place, ...create, commentAnnotations };
    dataOf(await server.call('/v2/commentannotations/add', data, headers));
  }
}

let other: Headers;
beforeAll(async () => {
  other = await createTenant(server);
  await fill(other);
  const activity = { activityServiceConfig: { isEnabled: true } };
  await server.ok('/v2/workspace/activityconfig/update', activity);
  await fill(server.keyHeaders);
  // The export has nothing to send before the activities are recorded.
  await eventually(async () => {
    const { rows } = await server.app.services.db.pool.query(
      'SELECT count(*)::int FROM activities WHERE tenant_id = $1',
      [server.quickstart.apiKey],
    );
    expect(rows).toEqual([{ count: ANNOTATIONS }]);
  });
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
  return (
    headOf('/trpc/commentAnnotations.get', { ...headers, 'Content-Length': json.length }) + json
  );
};

describe('answers that their clients do not read', () => {
  it.each([
    ['REST', reading],
    ['tRPC', typed],
    ['an export', (headers: Headers) => postOf(EXPORT, { organizationId: 'acme' }, headers)],
  ])('share a memory limit, above which the oldest is cut off: %s', async (_what, request) => {
    const oldest = await slowReader(request(server.keyHeaders));
    const other = await slowReader(request(server.keyHeaders));
    const newest = await slowReader(request(server.keyHeaders));
    expect(await receivedBy(oldest)).toBeLessThan(ANSWER);
    newest.socket.resume();
    await eventually(() => expect(newest.received.length).toBeGreaterThan(ANSWER), 10_000);
    for (const { socket } of [oldest, other, newest]) socket.destroy();
  });

  it('are cut off at the key with the most of them', async () => {
    const first = await slowReader(reading(other));
    const oldest = await slowReader(reading(server.keyHeaders));
    for (let count = 0; count < 2; count++) await slowReader(reading(server.keyHeaders));
    first.socket.resume();
    expect((await first.answer()).status).toBe(200);
    expect(await receivedBy(oldest)).toBeLessThan(ANSWER);
  });

  it('do not count once they are read', async () => {
    for (let count = 0; count < 3; count++) {
      const client = await rawClient(server.url);
      await client.send(reading(server.keyHeaders));
      expect((await client.answer()).status).toBe(200);
    }
  });
});

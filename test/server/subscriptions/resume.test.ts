import { beforeEach, describe, expect, it } from 'vitest';
import { annotationsOf, type Place } from '../../support/annotations.ts';
import { dataOf, fresh } from '../../support/answers.ts';
import { erase } from '../../support/erasure.ts';
import { eventsOf } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { createNetwork } from '../../support/network.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addressOf, subscribe } from '../../support/subscriptions.ts';

let place: Place;
const one = await startTestServer();
const two = await startTestServer({ DATABASE_URL: one.databaseUrl });
const annotations = annotationsOf(one);

const addThrough = async (server: TestServer, annotationId: string) =>
  dataOf(await annotationsOf(server, one.keyHeaders).add(place, [{ annotationId }]));

beforeEach(async () => {
  place = annotations.place();
  await addThrough(one, `${place.documentId}-first`);
});

/** Subscribes through a proxy that can break connections. */
async function follow() {
  const proxy = await createNetwork(one.url);
  return { proxy, seen: await subscribe(proxy.url, one.keyHeaders, 'comments', place) };
}

describe('a subscription', () => {
  it('receives the events of all processes once while connections break during many writes', async () => {
    const { proxy, seen } = await follow();
    const writers = [one, two, one, two].map(async (server, writer) => {
      for (let n = 0; n < 15; n++) await addThrough(server, `${place.documentId}-${writer}-${n}`);
    });
    let isWriting = true;
    const written = Promise.all(writers).finally(() => {
      isWriting = false;
    });
    for (let round = 0; isWriting; round++) {
      const { starts } = seen;
      await eventually(() => expect(seen.items.length).toBeGreaterThan(round));
      // The subscription alternates between both processes.
      proxy.forwardTo(round % 2 === 0 ? two.url : one.url);
      proxy.breakAll();
      await eventually(() => expect(seen.starts).toBeGreaterThan(starts));
    }
    await written;
    await eventually(() => expect(seen.items).toHaveLength(60));
    const published = await eventsOf(one, place.organizationId, ['comment_annotation.add']);
    expect(seen.items.map(({ id }) => id)).toEqual(published.slice(1).map(({ id }) => id));
    expect(seen.failure).toBeUndefined();
    expect(seen.starts).toBeGreaterThan(1);
  });

  it('misses nothing if its connection broke before the first event', async () => {
    const { proxy, seen } = await follow();
    const { starts } = seen;
    // No server listens on this port.
    proxy.forwardTo('http://127.0.0.1:1');
    proxy.breakAll();
    await addThrough(two, `${place.documentId}-meanwhile`);
    proxy.forwardTo(two.url);
    await eventually(() => expect(seen.starts).toBeGreaterThan(starts));
    await eventually(() => expect(seen.items).toHaveLength(1));
    expect(seen.items[0]?.data.data.annotationId).toBe(`${place.documentId}-meanwhile`);
  });
});

it.each(['received', 'lost'])(
  'a subscription that resumes while others follow the document shows nothing of an erased user when notifications are %s',
  async (notifications) => {
    const seen = await subscribe(one.url, one.keyHeaders, 'comments', place);
    const from = { userId: fresh('zelda'), name: 'Zelda' };
    await addThrough(one, `${place.documentId}-second`);
    dataOf(await annotations.add(place, [{ commentData: [{ commentText: 'Hello', from }] }]));
    await eventually(() => expect(seen.items).toHaveLength(2));
    let isErased = false;
    const erased = erase(one, one.keyHeaders, { userIds: [from.userId] }).finally(() => {
      isErased = true;
    });
    // Processes receive no notifications while their connection for these is broken again and again.
    while (!isErased && notifications === 'lost')
      await one.app.services.db.pool.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'collaboration-backend feed'`);
    await erased;
    const lastEventId = seen.items[0]?.id;
    await eventually(async () => {
      const later = await subscribe(one.url, one.keyHeaders, 'comments', { ...place, lastEventId });
      await eventually(() => expect(later.items).toHaveLength(1));
      expect(later.items[0]?.data.data.from).toMatchObject({ name: 'Deleted user' });
    });
  },
);

it('a stopping server sends its subscribers to its successor, and they miss nothing', async () => {
  const first = await startTestServer({ DATABASE_URL: one.databaseUrl });
  const proxy = await createNetwork(first.url);
  const seen = await subscribe(proxy.url, one.keyHeaders, 'comments', place);
  await addThrough(two, `${place.documentId}-before`);
  await eventually(() => expect(seen.items).toHaveLength(1));
  proxy.forwardTo(two.url);
  await stopInTime(first);
  await addThrough(two, `${place.documentId}-after`);
  await eventually(() => expect(seen.items).toHaveLength(2));
  expect(seen.failure).toBeUndefined();
  expect(seen.starts).toBe(2);
});

it('a subscriber that stops reading delays no stop, and receives everything when it reads again', async () => {
  const first = await startTestServer({ DATABASE_URL: one.databaseUrl });
  const [cut, response] = [await open(first.url), await open(one.url)];
  const ids = await addLarge();
  await stopInTime(first);
  await cut.body?.cancel().catch(() => undefined);
  const published = await eventsOf(one, place.organizationId, ['comment_annotation.add']);
  expect(published).toHaveLength(ids.length + 1);
  const seen: string[] = [];
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const lines = (rest + Buffer.from(chunk).toString()).split('\n');
    rest = lines.pop() ?? '';
    seen.push(...lines.filter((line) => line.startsWith('id: ')).map((line) => line.slice(4)));
    if (seen.length >= published.length) break;
  }
  expect(seen).toEqual(published.map(({ id }) => id));
});

async function stopInTime({ app }: TestServer): Promise<void> {
  const startedAt = performance.now();
  await app.stop();
  expect(performance.now() - startedAt).toBeLessThan(5_000);
}

/** Subscribes without reading. */
async function open(url: string): Promise<Response> {
  const address = addressOf('comments.changes', place);
  const response = await fetch(url + address, { headers: one.keyHeaders });
  expect(response.status).toBe(200);
  return response;
}

/** 16 MB, which is more than the buffers of a connection hold. */
async function addLarge(): Promise<string[]> {
  const commentData = [{ commentText: 'x'.repeat(64_000), from: { userId: 'ada' } }];
  const ids = Array.from({ length: 250 }, (_, n) => `${place.documentId}-${n}`);
  for (let n = 0; n < ids.length; n += 50) {
    const batch = ids.slice(n, n + 50).map((annotationId) => ({ annotationId, commentData }));
    dataOf(await annotations.add(place, batch));
  }
  return ids;
}

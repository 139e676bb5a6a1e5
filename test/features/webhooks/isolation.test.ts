import { describe, expect, it } from 'vitest';
import { invalid } from '../../support/answers.ts';
import { eventually } from '../../support/eventually.ts';
import { readersCaughtUp } from '../../support/notifying-key.ts';
import { hang, type Received, respondWith, startReceiver } from '../../support/receiver.ts';
import { startTestServer, testServer } from '../../support/server.ts';
import {
  attempted,
  createEndpoint,
  deliveriesOf,
  PATHS,
  publishEvents,
  type ShownDelivery,
  setAdvancedWebhooks,
  webhookScene,
  webhookTenant,
} from '../../support/webhooks.ts';

const server = testServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });

const numbersOf = (received: Received[]) => received.map(({ event }) => event.data.n);
const idsOf = (deliveries: ShownDelivery[]) => deliveries.map(({ id }) => id);
const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ data: { n } }));

const threeReceivers = () => Promise.all([startReceiver(), startReceiver(), startReceiver()]);

it('an endpoint that hangs delays no other endpoint, of its key or of another', async () => {
  const headers = await webhookTenant(server);
  const [bad, good, other] = await threeReceivers();
  bad.respond = hang;
  for (let n = 0; n < 20; n++) await createEndpoint(server, headers, { url: bad.url });
  await createEndpoint(server, headers, { url: good.url });
  const otherKey = await webhookTenant(server);
  await createEndpoint(server, otherKey, { url: other.url });
  await publishEvents(server, headers, numbered(50));
  await eventually(() => expect(bad.received.length).toBeGreaterThanOrEqual(20));
  await publishEvents(server, headers, numbered(50));
  await publishEvents(server, otherKey, numbered(1));
  await eventually(() => {
    expect(good.received).toHaveLength(100);
    expect(other.received).toHaveLength(1);
  });
  // Each endpoint gets a few requests, however many of its deliveries wait.
  expect(bad.received.length).toBeLessThanOrEqual(20 * 4);
});

describe('a receiver', () => {
  it('that floods, with bytes that are no text, is cut off after 16 KB, and its status counts', async () => {
    let sent = 0;
    const scene = await webhookScene(server, (_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536, 'x');
      chunk.set([0, 0xff]);
      const more = () => {
        do sent += chunk.length;
        while (!response.destroyed && response.write(chunk));
        response.once('drain', more);
      };
      more();
    });
    await publishEvents(server, scene.headers, numbered(1));
    const delivery = await attempted(server, scene);
    expect(delivery.status).toBe('delivered');
    expect(delivery.attempts[0]?.excerpt).toBe(`\ufffd\ufffd${'x'.repeat(16_382)}`);
    // The receiver gets no more than the buffers of the sockets hold.
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it('that closes the connection, or does not speak HTTP, has failed', async () => {
    const scene = await webhookScene(server, (_request, { socket }) =>
      socket?.end('hello\r\n\r\n'),
    );
    await publishEvents(server, scene.headers, numbered(1));
    const delivery = await attempted(server, scene);
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ statusCode: null }] });
    expect(delivery.attempts[0]?.error).toMatch(/^The request failed/);
  });

  it('at a forbidden address is refused when its endpoint is created, with the setting that would allow it', async () => {
    const headers = await webhookTenant(server);
    for (const url of [
      'http://10.0.0.1/',
      'http://[::ffff:10.0.0.1]:8080/',
      'http://0xa9fea9fe/latest/meta-data',
    ]) {
      const answer = await server.call(PATHS.create, { url }, headers);
      expect(answer.body, url).toEqual(invalid('url'));
      expect(answer.body.error.message).toContain('OUTBOUND_ALLOWED_NETWORKS');
    }
    const atPort = await server.call(PATHS.create, { url: 'http://127.0.0.1:22/' }, headers);
    expect(atPort.body.error.message).toContain('Requests to port 22 are not allowed.');
    const { id: endpointId } = await createEndpoint(server, headers, { url: 'http://127.0.0.1/' });
    const moved = await server.call(PATHS.update, { endpointId, url: 'http://10.0.0.1/' }, headers);
    expect(moved.body).toEqual(invalid('url'));
    const basic = { webhookServiceConfig: { rawNotificationUrl: 'http://10.0.0.1/' } };
    const path = '/v2/workspace/webhookconfig/update';
    const refused = await server.call(path, basic, headers);
    expect(refused.body).toEqual(invalid('webhookServiceConfig.rawNotificationUrl'));
  });
});

it('a delivery checks the address itself, whatever was allowed when its endpoint was made', async () => {
  // A name that resolved to public addresses then may resolve to others now.
  const lenient = await startTestServer({ ROLES: 'api', OUTBOUND_ALLOWED_NETWORKS: '0.0.0.0/0' });
  const { databaseUrl: DATABASE_URL } = lenient;
  const headers = await webhookTenant(lenient);
  for (const url of ['http://10.0.0.1/', 'http://0x0a000001/', 'http://localhost:8080/']) {
    await createEndpoint(lenient, headers, { url });
  }
  const strict = await startTestServer({ DATABASE_URL });
  await publishEvents(strict, headers, numbered(1));
  await eventually(async () => {
    const error = expect.stringContaining('are not allowed');
    const refused = { attempts: [{ statusCode: null, error }] };
    expect(await deliveriesOf(strict, headers)).toMatchObject([refused, refused, refused]);
  });
});

describe('the deliveries of one endpoint', () => {
  it('leave in order for each document, also when receivers answer slowly', async () => {
    let open = 0;
    let most = 0;
    const { headers, receiver } = await webhookScene(server, (_request, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open -= 1;
        response.end();
      }, Math.random() * 20);
    });
    const documents = ['a', 'b', 'c', 'd', 'e'];
    for (let n = 0; n < 10; n++) {
      const published = documents.map((documentId) => ({ documentId, data: { n } }));
      await publishEvents(server, headers, published);
    }
    await eventually(() => expect(receiver.received).toHaveLength(50));
    for (const documentId of documents) {
      const own = receiver.received.filter(({ event }) => event.metadata.documentId === documentId);
      expect(numbersOf(own)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
    expect(most).toBeLessThanOrEqual(documents.length);
  });

  it('respect its rate limit, whichever process sends them, also when one stops', async () => {
    const environment = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
    const own = await startTestServer(environment);
    const next = await startTestServer({ ...environment, DATABASE_URL: own.databaseUrl });
    const { headers, receiver } = await webhookScene(own, undefined, { rateLimit: 10 });
    for (let n = 0; n < 5; n++) await publishEvents(own, headers, numbered(6));
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(10));
    await own.app.stop();
    const departures = await eventually(async () => {
      const shown = await deliveriesOf(next, headers, { status: 'delivered' });
      expect(shown).toHaveLength(30);
      return shown.flatMap(({ attempts }) => attempts.map(({ at }) => at)).sort((a, b) => a - b);
    });
    // One second's worth leaves at once, and then ten a second.
    expect((departures.at(-1) ?? 0) - (departures[0] ?? 0)).toBeGreaterThan(1_990);
    // The token bucket holds one second's worth, so no second has more than twice the rate.
    for (const [index, at] of departures.entries()) {
      expect((departures[index + 20] ?? Infinity) - at).toBeGreaterThan(990);
    }
  });

  it('are those that pass its filters and were committed after its creation', async () => {
    const headers = await webhookTenant(server);
    const [typed, placed, all] = await threeReceivers();
    await publishEvents(server, headers, [{ data: { n: 'before' } }]);
    await createEndpoint(server, headers, { url: typed.url, filterTypes: ['user.add'] });
    const channels = ['document:d', 'user:ada'];
    await createEndpoint(server, headers, { url: placed.url, channels });
    await createEndpoint(server, headers, { url: all.url });
    await publishEvents(server, headers, [
      { type: 'user.add', data: { n: 1 } },
      { type: 'comment.add', channels: ['document:d', 'organization:o'], data: { n: 2 } },
      { type: 'user.add', channels: ['user:ada'], data: { n: 3 } },
      { type: 'comment.add', channels: ['document:e'], data: { n: 4 } },
    ]);
    await eventually(() => {
      expect(numbersOf(all.received).sort()).toEqual([1, 2, 3, 4]);
      expect(numbersOf(typed.received).sort()).toEqual([1, 3]);
      expect(numbersOf(placed.received).sort()).toEqual([2, 3]);
    });
  });

  it('wait while advanced webhooks are disabled', async () => {
    const { headers, receiver, endpointId } = await webhookScene(server, respondWith(500));
    await publishEvents(server, headers, numbered(1));
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await setAdvancedWebhooks(server, headers, false);
    await publishEvents(server, headers, numbered(1));
    await readersCaughtUp(server);
    receiver.respond = respondWith(200);
    await setAdvancedWebhooks(server, headers, true);
    await publishEvents(server, headers, [{ data: { n: 'last' } }]);
    await eventually(() => expect(numbersOf(receiver.received)).toContain('last'));
    const since = Date.now() - 60_000;
    const { recovered } = await server.ok(PATHS.recover, { endpointId, since }, headers);
    expect(recovered).toBe(1);
    await eventually(async () => {
      const shown = await deliveriesOf(server, headers);
      expect(shown.every((one) => one.status === 'delivered')).toBe(true);
    });
  });
});

it('the list of deliveries filters by endpoint, status, type and time, newest first, in pages', async () => {
  const headers = await webhookTenant(server);
  const [good, bad] = [await startReceiver(), await startReceiver(respondWith(500))];
  const one = await createEndpoint(server, headers, { url: good.url });
  const two = await createEndpoint(server, headers, { url: bad.url });
  await publishEvents(server, headers, numbered(3));
  await publishEvents(server, headers, [{ type: 'user.add' }]);
  const all = await eventually(async () => {
    const shown = await deliveriesOf(server, headers);
    expect(shown.filter(({ attempts }) => attempts.length > 0)).toHaveLength(8);
    return shown;
  });
  const ofTwo = { endpointId: two.id, status: 'pending', type: 'user.add', since: 1 };
  for (const [query, keep] of [
    [{ endpointId: one.id }, ({ endpointId }) => endpointId === one.id],
    [{ status: 'delivered' }, ({ endpointId }) => endpointId === one.id],
    [{ status: 'failed' }, () => false],
    [{ type: 'user.add' }, ({ eventType }) => eventType === 'user.add'],
    [{ since: Date.now() + 60_000 }, () => false],
    [ofTwo, ({ endpointId, eventType }) => endpointId === two.id && eventType === 'user.add'],
  ] satisfies Array<[query: object, keep: (delivery: ShownDelivery) => boolean]>) {
    const found = await deliveriesOf(server, headers, query);
    expect(idsOf(found), JSON.stringify(query)).toEqual(idsOf(all.filter(keep)));
  }
  expect(all.slice(0, 2).map(({ eventType }) => eventType)).toEqual(['user.add', 'user.add']);
  // Deliveries of one event stay together, although three events have the same millisecond.
  const events = all.map(({ eventId }) => eventId);
  expect(events.filter((id, at) => id !== events[at - 1])).toHaveLength(4);
  const paged: string[] = [];
  let iterator: string | undefined;
  do {
    const page = await server.ok(PATHS.deliveries, { limit: 3, iterator }, headers);
    paged.push(...idsOf(page.deliveries));
    iterator = page.iterator ?? undefined;
    expect(page.done).toBe(iterator === undefined);
  } while (iterator !== undefined);
  expect(paged).toEqual(idsOf(all));
});

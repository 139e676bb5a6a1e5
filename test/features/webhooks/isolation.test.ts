import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { invalid } from '../../support/answers.ts';
import { eventually } from '../../support/eventually.ts';
import { readersCaughtUp } from '../../support/notifying-key.ts';
import { hang, type Received, respondWith, startReceiver } from '../../support/receiver.ts';
import { startTestServer, type TestServer, testServer } from '../../support/server.ts';
import {
  attempted,
  createEndpoint,
  deliveriesOf,
  PATHS,
  publishEvents,
  setAdvancedWebhooks,
  webhookScene,
  webhookTenant,
} from '../../support/webhooks.ts';

const server = testServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });

const numbersOf = (received: Received[]) => received.map(({ event }) => event.data.n);
const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ data: { n } }));

/** The times at which these deliveries of a key left, once all have left. */
const departuresOf = (of: TestServer, headers: Record<string, string>, count: number) =>
  eventually(async () => {
    const shown = await deliveriesOf(of, headers, { status: 'delivered' });
    expect(shown).toHaveLength(count);
    return shown.flatMap(({ attempts }) => attempts.map(({ at }) => at)).sort((a, b) => a - b);
  });

/** The token bucket holds one second's worth, so no second has more than twice the rate. */
function expectRate(departures: number[], perSecond: number): void {
  for (const [index, at] of departures.entries()) {
    const later = departures[index + 2 * perSecond];
    if (later !== undefined) expect(later - at).toBeGreaterThan(990);
  }
}

it('an endpoint that hangs delays no other endpoint, of its key or of another', async () => {
  const headers = await webhookTenant(server);
  const [bad, good, other] = [
    await startReceiver(hang),
    await startReceiver(),
    await startReceiver(),
  ];
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
  it('that floods is cut off after 16 KB, and its status counts', async () => {
    let sent = 0;
    const scene = await webhookScene(server, (_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        sent += chunk.length;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await publishEvents(server, scene.headers, numbered(1));
    const delivery = await attempted(server, scene);
    expect(delivery.status).toBe('delivered');
    expect(delivery.attempts[0]?.excerpt).toBe('x'.repeat(16_384));
    // The receiver gets no more than the buffers of the sockets hold.
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it('may answer with bytes that are no text', async () => {
    const scene = await webhookScene(server, (_request, response) => {
      response.writeHead(200).end(Buffer.from([0, 0xff, 0x41]));
    });
    await publishEvents(server, scene.headers, numbered(1));
    const { attempts } = await attempted(server, scene);
    expect(attempts[0]?.excerpt).toBe('\ufffd\ufffdA');
  });

  it('that closes the connection, or does not speak HTTP, has failed', async () => {
    const broken = createTcpServer((socket) => socket.end('hello\r\n\r\n')).listen(0, '127.0.0.1');
    afterAll(() => broken.close());
    await once(broken, 'listening');
    const { port } = broken.address() as AddressInfo;
    const scene = await webhookScene(server, hang, { url: `http://127.0.0.1:${port}` });
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
    const deliveries = await deliveriesOf(strict, headers);
    expect(deliveries).toHaveLength(3);
    for (const { attempts } of deliveries) {
      expect(attempts[0]).toMatchObject({
        statusCode: null,
        error: expect.stringContaining('are not allowed'),
      });
    }
  });
});

describe('the deliveries of one endpoint', () => {
  it('leave in order for each document, also when receivers answer slowly', async () => {
    let open = 0;
    let most = 0;
    const byDocument = new Map<string, number[]>();
    const { headers, receiver } = await webhookScene(server, ({ event }, response) => {
      const { documentId } = event.metadata;
      byDocument.set(documentId, [...(byDocument.get(documentId) ?? []), event.data.n]);
      most = Math.max(most, ++open);
      setTimeout(() => {
        open -= 1;
        response.writeHead(200).end();
      }, Math.random() * 20);
    });
    const documents = ['a', 'b', 'c', 'd', 'e'];
    for (let n = 0; n < 20; n++) {
      const published = documents.map((documentId) => ({ documentId, data: { n } }));
      await publishEvents(server, headers, published);
    }
    await eventually(() => expect(receiver.received).toHaveLength(100));
    for (const documentId of documents) {
      expect(byDocument.get(documentId)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    }
    expect(most).toBeLessThanOrEqual(documents.length);
  });

  it('respect its rate limit, whichever process sends them', async () => {
    await startTestServer({
      OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
      DATABASE_URL: server.databaseUrl,
    });
    const { headers } = await webhookScene(server, undefined, { rateLimit: 10 });
    for (let n = 0; n < 5; n++) await publishEvents(server, headers, numbered(6));
    const departures = await departuresOf(server, headers, 30);
    // One second's worth leaves at once, and then ten a second.
    expect((departures.at(-1) ?? 0) - (departures[0] ?? 0)).toBeGreaterThan(1_990);
    expectRate(departures, 10);
  });

  it('respect its rate limit when one process stops and another continues', async () => {
    const own = await startTestServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
    const { headers, receiver } = await webhookScene(own, undefined, { rateLimit: 5 });
    await publishEvents(own, headers, numbered(20));
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(5));
    const next = await startTestServer({
      OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
      DATABASE_URL: own.databaseUrl,
    });
    await own.app.stop();
    expectRate(await departuresOf(next, headers, 20), 5);
    await next.app.stop();
  });

  it('are those that pass its filters and were committed after its creation', async () => {
    const headers = await webhookTenant(server);
    const [typed, placed, all] = [
      await startReceiver(),
      await startReceiver(),
      await startReceiver(),
    ];
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
  await eventually(async () => {
    const all = await deliveriesOf(server, headers);
    expect(all.filter(({ attempts }) => attempts.length > 0)).toHaveLength(8);
  });
  const all = await deliveriesOf(server, headers);
  const of = (query: object) => deliveriesOf(server, headers, query);
  const expectOnly = async (query: object, keep: (delivery: (typeof all)[0]) => boolean) => {
    const ids = (await of(query)).map(({ id }) => id);
    expect(ids, JSON.stringify(query)).toEqual(all.filter(keep).map(({ id }) => id));
  };
  await expectOnly({ endpointId: one.id }, ({ endpointId }) => endpointId === one.id);
  await expectOnly({ status: 'delivered' }, ({ endpointId }) => endpointId === one.id);
  await expectOnly({ status: 'pending' }, ({ endpointId }) => endpointId === two.id);
  await expectOnly({ status: 'failed' }, () => false);
  await expectOnly({ type: 'user.add' }, ({ eventType }) => eventType === 'user.add');
  await expectOnly({ since: 0 }, () => true);
  await expectOnly({ since: Date.now() + 60_000 }, () => false);
  await expectOnly(
    { endpointId: two.id, status: 'pending', type: 'user.add', since: 1 },
    ({ endpointId, eventType }) => endpointId === two.id && eventType === 'user.add',
  );
  expect(all.slice(0, 2).map(({ eventType }) => eventType)).toEqual(['user.add', 'user.add']);
  // Deliveries of one event stay together, although three events have the same millisecond.
  const events = all.map(({ eventId }) => eventId);
  expect(events.filter((id, at) => id !== events[at - 1])).toHaveLength(4);
  const paged: string[] = [];
  let iterator: string | undefined;
  do {
    const page = await server.ok(PATHS.deliveries, { limit: 3, iterator }, headers);
    paged.push(...page.deliveries.map(({ id }: { id: string }) => id));
    iterator = page.iterator ?? undefined;
    expect(page.done).toBe(iterator === undefined);
  } while (iterator !== undefined);
  expect(paged).toEqual(all.map(({ id }) => id));
});

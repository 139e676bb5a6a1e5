import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { headersFor, operations } from '../support/operations.ts';
import { postOf, rawClient } from '../support/raw-http.ts';
import { createTenant, post, startTestServer } from '../support/server.ts';

const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
const server = await startTestServer({}, { log });

it('a request without an operation is logged once, with its id in one field', async () => {
  await fetch(`${server.url}/nowhere`, { headers: { 'x-request-id': 'of-nowhere' } });
  const logged = lines
    .filter((line) => line.includes('"of-nowhere"'))
    .map((line) => JSON.parse(line));
  expect(logged).toMatchObject([{ requestId: 'of-nowhere', status: 404 }]);
  expect(logged[0]).not.toHaveProperty('reqId');
});

const EVENTS = '/v2/events/get';

describe('x-request-id', () => {
  const answeredTo = async (id: string) =>
    (await server.call(EVENTS, {}, { ...server.keyHeaders, 'x-request-id': id })).headers.get(
      'x-request-id',
    );

  it('is returned as it was sent, unless it is empty, long, or has other characters', async () => {
    for (const id of ['trace/1:2{3}~', 'x'.repeat(128)]) expect(await answeredTo(id)).toBe(id);
    for (const id of ['', 'two words', 'x'.repeat(129), 'caf\u00e9']) {
      expect(await answeredTo(id), id).toMatch(/^[A-Za-z0-9_-]{16,}$/);
    }
  });

  it('is part of every failure, from any layer', async () => {
    const headers = { 'x-request-id': 'mine' };
    const answers = [
      await post(`${server.url}/nowhere`, {}, headers),
      await post(server.url + EVENTS, '{', headers),
      await server.call(EVENTS, {}, headers),
      await post(`${server.url}/trpc/events.get`, '{', headers),
    ];
    for (const answer of answers) expect(answer.headers.get('x-request-id')).toBe('mine');
  });
});

describe('methods', () => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'PROPFIND'];
  const ask = (method: string, path: string) =>
    fetch(server.url + path, { method, headers: server.keyHeaders });

  it.each([
    ['/v2/events/get', 'POST'],
    ['/trpc/events.get', 'GET, POST'],
    ['/docs', 'GET, HEAD'],
    ['/healthz', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
  ])('of %s are %s, and any other is a 405', async (path, allowed) => {
    for (const method of METHODS) {
      const response = await ask(method, path);
      if (allowed.split(', ').includes(method)) {
        expect(response.status, method).not.toBe(405);
        await response.body?.cancel();
        continue;
      }
      expect(response.status, method).toBe(405);
      expect(response.headers.get('allow')).toBe(allowed);
      if (method === 'HEAD') continue;
      const { error } = await response.json();
      const failure = path.startsWith('/trpc/') ? error.json.data : error;
      expect(failure).toMatchObject({ status: 'INVALID_ARGUMENT' });
    }
  });

  it.each(['/nowhere', '/v2/events', '/trpc/', '/collaboration'])(
    'of the unknown path %s are a 404',
    async (path) => {
      for (const method of METHODS) expect((await ask(method, path)).status, method).toBe(404);
    },
  );
});

describe('paths', () => {
  it.each([
    '/v2/events%2Fget',
    '/%76%32/events/get',
    '/v2/events/get%00',
    '/trpc/%65vents.get',
    '/v2//events/get',
    '/V2/events/get',
  ])('match exactly, without decoding or normalization: %s', async (path) => {
    expect((await post(server.url + path, { data: {} }, server.keyHeaders)).status).toBe(404);
  });

  it('may have a query, and an origin in front as proxies write it', async () => {
    expect((await server.call(`${EVENTS}?trace=1`, {})).status).toBe(200);
    const client = await rawClient(server.url);
    await client.send(postOf(`http://anywhere.example${EVENTS}`, {}, server.keyHeaders));
    expect((await client.answer()).status).toBe(200);
  });
});

it('an offer of HTTP/2 is ignored, as the client of Java makes it with each call', async () => {
  const settings = { 'HTTP2-Settings': 'AAEAAEAA' };
  const offer = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', ...settings };
  const client = await rawClient(server.url);
  await client.send(postOf(EVENTS, {}, { ...server.keyHeaders, ...offer }));
  expect((await client.answer()).status).toBe(200);
});

it('a compressed body is refused with that reason', async () => {
  const types = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const headers = { ...types, ...server.keyHeaders };
  const body = gzipSync(JSON.stringify({ data: {} }));
  const response = await fetch(server.url + EVENTS, { method: 'POST', headers, body });
  expect(response.status).toBe(415);
  expect((await response.json()).error.message).toMatch(/^The body must not be compressed/);
});

describe('browsers', () => {
  const ORIGIN = 'https://anywhere.example';
  const preflight = (path: string, requested: string) =>
    fetch(server.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': requested,
      },
    });

  it('may call every operation from any origin', async () => {
    for (const operation of operations) {
      const requested = ['content-type', ...Object.keys(headersFor(server, operation))].join(',');
      const response = await preflight(operation.meta.path, requested);
      expect(response.status, operation.name).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(response.headers.get('access-control-allow-methods')).toContain('POST');
      expect(response.headers.get('access-control-allow-headers')).toBe(requested);
    }
    expect((await preflight('/trpc/events.get', 'x-svc-api-key')).status).toBe(204);
  });

  it('can read answers and failures, and keep those of one origin apart from those of another', async () => {
    const address = `${server.url}/trpc/events.get?input=${encodeURIComponent('{"json":{}}')}`;
    for (const headers of [{ ...server.keyHeaders, origin: ORIGIN }, { origin: ORIGIN }]) {
      for (const answer of [
        await server.call(EVENTS, {}, headers),
        await fetch(address, { headers }),
      ]) {
        expect(answer.status).toBe('x-svc-api-key' in headers ? 200 : 403);
        expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
        expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
        expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
      }
    }
  });
});

describe('tRPC', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const inTrpc = async (path: string, body: string) => {
    const url = `${server.url}/trpc/${path}`;
    const { status, body: answer } = await post(url, body, server.keyHeaders);
    return { status, failure: answer.error?.json?.data };
  };

  it.each([
    ['malformed JSON', '{"json":'],
    ['depth in what superjson notes', `{"json":{},"meta":{"values":${deep}}}`],
    [
      'a path into the prototype',
      '{"json":{},"meta":{"referentialEqualities":{"a":["__proto__.polluted"]}}}',
    ],
    ['a prototype', '{"json":{"__proto__":{"polluted":true}}}'],
    ['classes', '{"json":{"userId":"a"},"meta":{"values":{"userId":[["class","X"]]}}}'],
  ])('refuses %s', async (_what, body) => {
    const answer = await inTrpc('auth.generateToken', body);
    expect(answer).toMatchObject({
      status: 400,
      failure: { status: 'INVALID_ARGUMENT', httpStatus: 400 },
    });
    expect({}).not.toHaveProperty('polluted');
  });

  it.each(['constructor', 'prototype', 'toString'])('answers with the key %s', async (userId) => {
    expect(await inTrpc(userId, '{}')).toMatchObject({ status: 404 });
    const json = { organizationId: 'acme', users: [{ userId, [userId]: 'own field' }] };
    const headers = { ...(await createTenant(server)), 'idempotency-key': userId };
    const { body } = await post(`${server.url}/trpc/users.add`, { json }, headers);
    expect(body.result.data.json[userId]).toMatchObject({ success: true, id: userId });
  });

  it('passes on large inputs, which are parsed before it sees them, each at its index', async () => {
    const text = 'x'.repeat(4_000);
    const all = Array.from({ length: 50 }, (_, at) => ({ organizationId: `o${at}`, text }));
    const own = await createTenant(server);
    const update = async (more: string, body: object) =>
      (await post(`${server.url}/trpc/organizations.update${more}`, body, own)).body;
    const one = await update('', { json: { organizations: all } });
    expect(Object.keys(one.result.data.json)).toHaveLength(50);
    const [many, none, few] = await update(',organizations.update,organizations.update?batch=1', {
      0: { json: { organizations: all } },
      2: { json: { organizations: all.slice(0, 2) } },
    });
    expect(Object.keys(many.result.data.json)).toHaveLength(50);
    expect(none.error.json.data.status).toBe('INVALID_ARGUMENT');
    expect(Object.keys(few.result.data.json)).toHaveLength(2);
  });

  it('answers in the format of typed clients, also for an unknown operation', async () => {
    expect(await inTrpc('nothing.here', '{"json":{}}')).toMatchObject({
      status: 404,
      failure: { status: 'NOT_FOUND', httpStatus: 404 },
    });
    const wrongMethod = await fetch(`${server.url}/trpc/users.add`);
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST']);
    for (const body of ['text', null]) {
      const wrongType = await fetch(`${server.url}/trpc/users.add`, { method: 'POST', body });
      expect(wrongType.status).toBe(415);
      const { data, message } = (await wrongType.json()).error.json;
      expect(data).toMatchObject({ httpStatus: 415 });
      expect(message).toMatch('Send the header content-type: application/json.');
    }
    const large = `{"json":{"a":"${'x'.repeat(6_000_000)}"}}`;
    expect(await inTrpc('users.add', large)).toMatchObject({
      status: 413,
      failure: { status: 'INVALID_ARGUMENT', httpStatus: 413 },
    });
    // The route is checked before the body.
    for (const path of ['nothing.here', 'nothing.here,nothing.there?batch=1']) {
      expect((await inTrpc(path, large)).status, path).toBe(404);
    }
  });

  const batch = (names: string[]) => {
    const input = JSON.stringify(
      Object.assign(
        {},
        names.map(() => ({ json: {} })),
      ),
    );
    const address = `${server.url}/trpc/${names}?batch=1&input=${encodeURIComponent(input)}`;
    return fetch(address, { headers: server.keyHeaders });
  };

  it.each([
    [['events.get', 'permissions.get'], 207],
    [['permissions.get', 'permissions.get'], 400],
    [['permissions.get'], 400],
  ])('answers the batch %s with %i, one answer for each call', async (names, status) => {
    const response = await batch(names);
    expect(response.status).toBe(status);
    const failed = { error: { json: { data: { status: 'INVALID_ARGUMENT' } } } };
    const done = { result: { data: { json: { events: [] } } } };
    const answers = names.map((name) => (name === 'events.get' ? done : failed));
    expect(await response.json()).toMatchObject(answers);
  });

  it('accepts at most 50 calls in a batch', async () => {
    const full = await batch(Array(50).fill('events.get'));
    expect(full.status).toBe(200);
    expect(await full.json()).toHaveLength(50);
    const over = await batch(Array(51).fill('events.get'));
    expect(over.status).toBe(400);
    const { message } = (await over.json()).error.json;
    expect(message).toBe('A batch has at most 50 calls: set maxItems of httpBatchLink.');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/platform/logging.ts';
import { organize } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { headOf, postOf, RawClient, rawClient } from '../support/raw-http.ts';
import { scrape } from '../support/scrape.ts';
import { post, startTestServer } from '../support/server.ts';
import { addressOf, readUntil } from '../support/subscriptions.ts';

const READ = '/v2/workspace/domains/get';
const TRPC = '/trpc/auth.generateToken';
const LIMIT = 256 * 1024;

const logged: string[] = [];
const log = createLogger('info', { write: (line) => logged.push(line) });
const limits = { BODY_LIMIT_BYTES: String(LIMIT), BODY_MEMORY_BYTES: String(4 * LIMIT) };
const environment = { ...limits, MAX_CONNECTIONS: '40', CALLS_IN_FLIGHT_PER_KEY: '0' };
const server = await startTestServer(environment, { log });
const hasty = await startTestServer({}, { requestTimeoutMs: 500 });

const upgradeAt = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;

const failureIn = ({ body }: { body: string }) => JSON.parse(body).error;

describe('an incomplete request', () => {
  it.each([
    ['no byte of it', ''],
    ['half a head', 'POST /v2/events/get HTTP/1.1\r\nHost: test\r\n'],
    ['a body that breaks off', `${headOf(READ, { 'Content-Length': 1000 })}{"data":`],
    ['chunks that break off', `${headOf(TRPC, { 'Transfer-Encoding': 'chunked' })}3\r\n{"a\r\n`],
  ])('is closed with a 408 in the envelope: %s', async (_what, bytes) => {
    const client = await rawClient(hasty.url);
    if (bytes !== '') await client.send(bytes);
    const answer = await client.answer();
    expect(answer.status).toBe(408);
    expect(failureIn(answer)).toMatchObject({ status: 'DEADLINE_EXCEEDED', code: 408 });
    await client.ended();
  });

  it('is closed even if a byte of it arrives now and then', async () => {
    const client = await rawClient(hasty.url);
    await client.send(headOf(READ, { 'Content-Length': 100_000 }));
    const drip = setInterval(() => client.socket.write(' '), 50);
    expect((await client.answer()).status).toBe(408);
    await client.ended();
    clearInterval(drip);
  });

  it('has a timeout that does not apply to slow answers and streams', async () => {
    const headers = { ...hasty.keyHeaders, accept: 'text/event-stream' };
    const place = { organizationId: 'acme', documentId: 'plan' };
    await organize(hasty, 'acme', { documents: ['plan'] });
    const stream = await fetch(hasty.url + addressOf('comments.changes', place), { headers });
    expect(stream.status).toBe(200);
    // The server's timeout for requests passes twice.
    const client = await rawClient(hasty.url);
    await client.ended();
    const again = await rawClient(hasty.url);
    await again.ended();
    await hasty.call('/v2/commentannotations/add', {
      ...place,
      commentAnnotations: [{ commentData: [{ commentText: 'Hi', from: { userId: 'ada' } }] }],
    });
    expect(await readUntil(stream, /"Hi"/)).toContain('"Hi"');
  });
});

describe('a body over the limit', () => {
  const body = (bytes: number) => Buffer.alloc(bytes, ' ');
  const message = expect.stringContaining('The body is too large.');
  const tooLarge = { status: 'INVALID_ARGUMENT', message, code: 413 };

  it.each([
    [READ, {}],
    [TRPC, { Connection: 'close' }],
  ])(
    'is refused with a 413 that a client reads after sending everything: %s',
    async (path, extra) => {
      const client = await rawClient(server.url);
      // The client does not read while it writes, as many clients do.
      client.socket.pause();
      await client.send(headOf(path, { 'Content-Length': 3 * LIMIT, ...extra }));
      for (let sent = 0; sent < 3; sent++) await client.send(body(LIMIT));
      client.socket.resume();
      const answer = await client.answer();
      expect(answer.status).toBe(413);
      expect(failureIn(answer).json ?? failureIn(answer)).toMatchObject({ message });
      await client.ended();
      expect(client.error).toBeUndefined();
    },
  );

  it('is refused in chunks too, once the limit is reached', async () => {
    const client = await rawClient(server.url);
    await client.send(headOf(READ, { 'Transfer-Encoding': 'chunked' }));
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), body(65_536), Buffer.from('\r\n')]);
    for (let sent = 0; sent < 5; sent++) await client.send(chunk);
    const answer = await client.answer();
    expect(failureIn(answer)).toMatchObject(tooLarge);
    for (let sent = 0; sent < 5; sent++) await client.send(chunk);
    await client.send('0\r\n\r\n');
    await client.ended();
    expect(client.error).toBeUndefined();
  });

  it('gets no 100-continue, while other bodies do', async () => {
    const large = await rawClient(server.url);
    await large.send(headOf(READ, { 'Content-Length': 2 * LIMIT, Expect: '100-continue' }));
    expect((await large.answer()).status).toBe(413);
    await large.ended();
    const small = await rawClient(server.url);
    const text = '{"data":{}}';
    const headers = { ...server.keyHeaders, 'Content-Length': text.length, Expect: '100-continue' };
    await small.send(headOf(READ, headers));
    expect((await small.answer()).status).toBe(100);
    await small.send(text);
    expect((await small.answer(1)).status).toBe(200);
  });

  it('is read up to four times the limit', async () => {
    const client = await rawClient(server.url);
    await client.send(headOf(READ, { 'Content-Length': 1000 * LIMIT }));
    expect((await client.answer()).status).toBe(413);
    await eventually(async () => {
      await client.send(body(LIMIT));
      expect(client.socket.destroyed).toBe(true);
    });
    expect(client.socket.bytesWritten).toBeLessThan(200 * LIMIT);
  });
});

describe('a request that matches no operation', () => {
  it.each([
    ['/v2/nothing/here', 404],
    ['/trpc/nothing/here', 404],
    ['/docs', 405],
  ])('is refused before its body, whatever that is: %s', async (path, status) => {
    const client = await rawClient(server.url);
    await client.send(headOf(path, { 'Content-Length': 1_000_000 }));
    expect((await client.answer()).status).toBe(status);
    for (const body of ['{', ' '.repeat(2 * LIMIT)]) {
      const type = { 'content-type': body === '{' ? 'text/plain' : 'application/json' };
      expect((await post(server.url + path, body, type)).status).toBe(status);
    }
  });

  it('keeps the connection usable if its body is small', async () => {
    const client = await rawClient(server.url);
    await client.send(`${headOf('/v2/nothing', { 'Content-Length': 11 })}{"data":`);
    expect((await client.answer()).status).toBe(404);
    await client.send(`{}}${postOf(READ, {}, server.keyHeaders)}`);
    expect((await client.answer(1)).status).toBe(200);
  });
});

describe('slow request bodies', () => {
  it('share a memory limit, and faster requests are not refused', async () => {
    const slow: RawClient[] = [];
    for (let n = 0; n < 6; n++) {
      const client = await rawClient(server.url);
      slow.push(client);
      await client.send(headOf(READ, { 'Content-Length': LIMIT }));
      await client.send(Buffer.alloc(LIMIT - 1, ' '));
    }
    // The oldest are refused, as only the newer ones fit.
    for (const client of slow.slice(0, 2)) {
      const answer = await client.answer();
      expect(answer.status).toBe(503);
      expect(answer.head).toMatch(/^retry-after: \d+/im);
      expect(failureIn(answer)).toMatchObject({ status: 'UNAVAILABLE' });
    }
    expect(slow.at(-1)?.received).toBe('');
    const large = JSON.stringify({ data: { note: 'x'.repeat(LIMIT - 100) } });
    expect((await post(server.url + READ, large, server.keyHeaders)).status).toBe(200);
  });

  it('take about as much memory as has arrived, also without a Content-Length', async () => {
    const head = headOf(READ, { ...server.keyHeaders, 'Transfer-Encoding': 'chunked' });
    const bytes = 160 * 1024;
    const text = '{"data":{}}'.padEnd(bytes);
    const clients: RawClient[] = [];
    for (let n = 0; n < 5; n++) {
      const client = await rawClient(server.url);
      await client.send(`${head}${bytes.toString(16)}\r\n${text}\r\n`);
      clients.push(client);
    }
    // The answer shows that everything before it has been read.
    expect((await server.call('/v2/events/get', {})).status).toBe(200);
    for (const client of clients) await client.send('0\r\n\r\n');
    for (const client of clients) expect((await client.answer()).status).toBe(200);
  });
});

describe('connections', () => {
  it('are limited in number', async () => {
    const clients = Array.from({ length: 60 }, () => new RawClient(server.url));
    await eventually(() => {
      expect(clients.filter(({ isOver }) => isOver).length).toBeGreaterThanOrEqual(20);
    });
    for (const { socket } of clients) socket.destroy();
    await eventually(async () => {
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    });
  });

  it('accept pipelined requests, and answer invalid HTTP, but never instead of another answer', async () => {
    const many = await rawClient(server.url);
    await many.send(postOf(READ, {}, server.keyHeaders).repeat(5));
    for (let nth = 0; nth < 5; nth++) expect((await many.answer(nth)).status).toBe(200);
    const client = await rawClient(server.url);
    await client.send('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03');
    const answer = await client.answer();
    expect(failureIn(answer)).toMatchObject({ status: 'INVALID_ARGUMENT' });
    expect(answer.head).toMatch(/^x-request-id: \w{20}\r$/im);
    await client.ended();
    const piped = await rawClient(server.url);
    await piped.send(`${postOf(READ, {}, server.keyHeaders)}garbage\r\n\r\n`);
    await piped.ended();
    expect(piped.received).not.toContain('400 Bad Request');
  });

  const health = 'GET /healthz HTTP/1.1\r\n';

  it.each([
    ['no Host', 400, 'INVALID_ARGUMENT', health],
    ['an expectation', 417, 'INVALID_ARGUMENT', `${health}Host: a\r\nExpect: b\r\n`],
    ['an upgrade elsewhere', 404, 'NOT_FOUND', upgradeAt('/healthz')],
    ['an upgrade without a key', 400, 'INVALID_ARGUMENT', upgradeAt('/collaboration')],
  ])('refuse %s in the envelope, with the request id', async (_what, code, status, head) => {
    const client = await rawClient(server.url);
    await client.send(`${head}X-Request-Id: mine\r\n\r\n`);
    const answer = await client.answer();
    expect(answer.status).toBe(code);
    expect(answer.head).toMatch(/^x-request-id: mine\r?$/im);
    expect(failureIn(answer)).toMatchObject({ status, code });
  });

  it('report a head that is too large', async () => {
    const client = await rawClient(server.url);
    await client.send(headOf(READ, { Large: 'x'.repeat(20_000) }));
    expect((await client.answer()).status).toBe(431);
  });
});

describe('clients that disconnect', () => {
  beforeEach(() => {
    logged.length = 0;
  });
  afterEach(() => {
    // Repeated warnings come from other tests.
    const isUnexpected = ({ level, repeated }: { level: number; repeated?: number }) =>
      level >= 40 && repeated === undefined;
    expect(lines().filter(isUnexpected), 'errors and warnings').toEqual([]);
  });
  const aborted = async (phase: string) =>
    (await scrape(server.url)).get(`http_requests_aborted_total{phase="${phase}"}`) ?? 0;
  const lines = () => logged.map((line) => JSON.parse(line));

  it('during a body are counted, and cause no error', async () => {
    const before = await aborted('body');
    for (const ending of ['end', 'resetAndDestroy', 'destroy'] as const) {
      const client = await rawClient(server.url);
      await client.send(`${headOf(READ, { ...server.keyHeaders, 'Content-Length': 1000 })}{"d`);
      // Once another request is answered, the server has read what this client wrote.
      await fetch(`${server.url}/healthz`);
      client.socket[ending]();
    }
    await eventually(async () => expect(await aborted('body')).toBe(before + 3));
  });

  it('during a statement, or before an answer in parts, are counted, and cause no error', async () => {
    const read = { organizationId: 'acme' };
    const editor = { ...read, documentId: 'plan', editorId: 'body' };
    await organize(server, 'acme', { documents: ['plan'] });
    // Content of editors is serialized already, so it is sent as a stream whatever its length.
    await server.ok('/v2/crdt/add', { ...editor, type: 'text', data: 'Hello' });
    const before = await aborted('operation');
    const lock = await holdTransaction(server.databaseUrl, 'LOCK TABLE documents');
    const [inParts, atOnce, typed] = [
      await rawClient(server.url),
      await rawClient(server.url),
      await rawClient(server.url),
    ];
    await inParts.send(postOf('/v2/crdt/get', editor, server.keyHeaders));
    await atOnce.send(postOf('/v2/organizations/documents/get', read, server.keyHeaders));
    const keys = Object.entries(server.keyHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    const address = addressOf('documents.get', read);
    await typed.send(`GET ${address} HTTP/1.1\r\nHost: a\r\n${keys.join('')}\r\n`);
    await lock.holdsUp(3);
    inParts.socket.destroy();
    atOnce.socket.destroy();
    typed.socket.resetAndDestroy();
    await eventually(async () => expect(await aborted('operation')).toBe(before + 3));
    await lock.release();
    await eventually(() => {
      const ended = lines().filter(({ operation }) => /^(?:documents|crdt)\.get$/.test(operation));
      expect(ended.length).toBe(3);
    });
    // Once another request is answered, the answers have met the closed connections.
    expect((await server.call('/v2/crdt/get', editor)).status).toBe(200);
  });

  it('from a stream, or after invalid bytes, cause no error either', async () => {
    const place = { organizationId: 'acme', documentId: 'plan' };
    await organize(server, 'acme', { documents: ['plan'] });
    const leaving = new AbortController();
    const stream = await fetch(server.url + addressOf('comments.changes', place), {
      headers: server.keyHeaders,
      signal: leaving.signal,
    });
    expect(stream.status).toBe(200);
    leaving.abort();
    await eventually(() =>
      expect(lines().some(({ msg }) => msg === 'The subscription ended.')).toBe(true),
    );
    const garbage = await rawClient(server.url);
    await garbage.send('\x16\x03\x01');
    await garbage.ended();
    const piped = await rawClient(server.url);
    await piped.send(`${postOf(READ, {}, server.keyHeaders)}garbage\r\n\r\n`);
    await piped.ended();
  });
});

it('the log contains no parts of unknown paths and queries', async () => {
  logged.length = 0;
  const secret = 's3cret-in-an-address';
  const paths = [
    `/v2/events/get/${secret}`,
    `/${secret}/v2/events`,
    `/trpc/${secret}`,
    `/trpc/events.get?token=${secret}`,
    `/v2/events/get?token=${secret}`,
    `/v2/%zz${secret}`,
  ];
  for (const path of paths) await post(server.url + path, '{', server.keyHeaders);
  const raw = await rawClient(server.url);
  await raw.send(`GET /${secret} garbage ${secret}\r\n\r\n`);
  await raw.ended();
  const proxied = await rawClient(server.url);
  await proxied.send(headOf(`http://me:${secret}@host/v2`, { 'Content-Length': 0 }));
  expect((await proxied.answer()).status).toBe(404);
  expect(logged.join('')).not.toContain(secret);
  expect(logged.map((line) => JSON.parse(line).path)).toEqual(
    expect.arrayContaining(['/v2/events/get/*', '/*/v2/events', '/v2/*', '/v2/events/get']),
  );
});

it('a stopping server is not delayed by incomplete requests', async () => {
  const stopping = await startTestServer();
  const half = await rawClient(stopping.url);
  await half.send('POST /v2/events/get HTTP/1.1\r\n');
  const body = await rawClient(stopping.url);
  await body.send(`${headOf(READ, { 'Content-Length': 100 })}{`);
  const refused = await rawClient(stopping.url);
  await refused.send(`${headOf(READ, { 'Content-Length': 10_000_000 })}{`);
  expect((await refused.answer()).status).toBe(413);
  await stopping.app.stop();
  expect((await body.answer()).status).toBe(503);
  await half.ended();
});

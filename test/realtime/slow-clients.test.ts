import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { EventFeed } from '../../src/platform/events/event-feed.ts';
import { connectSocket } from '../../src/realtime/connect-socket.ts';
import { LiveHocuspocus } from '../../src/realtime/hocuspocus-internals.ts';
import { closing, Refusal } from '../../src/realtime/refusal.ts';
import { Admissions } from '../../src/realtime/sockets/admissions.ts';
import { BroadcastCache } from '../../src/realtime/sockets/broadcast-cache.ts';
import { SendBudget } from '../../src/realtime/sockets/send-budget.ts';
import { type SocketPath, Sockets } from '../../src/realtime/sockets/sockets.ts';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listen.ts';
import { loopParts } from '../support/loop-parts.ts';
import { AUTH, frameOf, withLength } from '../support/raw-socket.ts';
import { startTestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const server = await startTestServer();
await makePlan(server);
const token = await userToken(server, 'ada', { accessRole: 'editor' });

/** The bytes that the server may buffer for a client, with the head of a frame. */
const MAX_HELD = 32 * 1024 * 1024 + 16;

const addressOf = (url: string) => `${url.replace(/^http/, 'ws')}/collaboration`;

async function connections(): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^live_connections (\d+)/m.exec(metrics)?.[1]);
}

/** Returns a function with the most bytes that a server's socket has buffered since. */
function watchHeld(): () => number {
  let most = 0;
  const { send } = WebSocket.prototype;
  vi.spyOn(WebSocket.prototype, 'send').mockImplementation(function (
    this: WebSocket & { _isServer?: boolean },
    ...parameters: unknown[]
  ) {
    Reflect.apply(send, this, parameters);
    if (this._isServer) most = Math.max(most, this.bufferedAmount);
  });
  return () => most;
}

/** A server of sockets without documents, for tests that send no valid token. */
async function serveSockets(admissionMs = 60_000) {
  const http = createServer();
  const sockets = new Sockets(loopParts);
  const accepted: WebSocket[] = [];
  whenFileEnds(() => sockets.close());
  const hocuspocus = new LiveHocuspocus();
  const feed = new EventFeed({ ...server.app.services, databaseUrl: server.databaseUrl });
  const admissions = new Admissions({ sockets: 3, ms: admissionMs, graceMs: 50 });
  const onOpen: SocketPath['onOpen'] = (socket, request) => {
    accepted.push(socket);
    const parts = { addressOf: () => '', whenStored: () => undefined, budget: new SendBudget() };
    const live = { hocuspocus, feed, ...parts, admissions, broadcasts: new BroadcastCache() };
    connectSocket(live, socket, request);
  };
  sockets.serve(http, { '/collaboration': { onOpen } });
  return { address: addressOf(await listen(http)), accepted, hocuspocus };
}

const isOpen = ({ readyState }: WebSocket) => readyState === WebSocket.OPEN;

/** A message that requests access to a document. */
const authentication = (name: string, withToken: string) =>
  frameOf(name, AUTH, 0, withLength(withToken));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a client that stops reading', () => {
  it('is disconnected without affecting others, and gets everything when it reconnects', async () => {
    const name = 'acme/plan/slow';
    const writer = await openEditor({ url: server.url, name, token });
    const other = await openEditor({ url: server.url, name, token });
    const reader = await openEditor({ url: server.url, name, token });
    expect(await connections()).toBe(3);
    const held = watchHeld();
    const { websocketProvider } = reader.provider.configuration;
    const { webSocket } = websocketProvider as unknown as { webSocket: { _socket: Socket } };
    webSocket._socket.pause();
    const closed = new Promise((resolve) => webSocket._socket.once('close', resolve));
    const text = 'x'.repeat(4_000_000);
    // Writes more than the server may buffer and the network may hold together.
    for (let round = 0; round < 15 && (await connections()) > 2; round++) {
      writer.text.insert(0, `${round} ${text}`);
      writer.text.delete(0, text.length);
      await writer.sent(15_000);
      await eventually(() => expect(other.text.length).toBe(writer.text.length));
    }
    await eventually(async () => expect(await connections()).toBe(2));
    expect(held()).toBeLessThanOrEqual(MAX_HELD);
    expect([writer.refusals, other.refusals]).toEqual([[], []]);
    webSocket._socket.resume();
    await closed;
    writer.text.insert(0, 'still here');
    await writer.sent();
    for (const { text: shown } of [other, reader]) {
      await eventually(() => expect(shown.toString() === writer.text.toString()).toBe(true));
    }
  }, 60_000);

  it('receives the reason if it reads on at once', async () => {
    const { client, socket } = await askWithoutReading();
    client.resume();
    const [code, reason] = await once(client, 'close');
    expect([code, String(reason)]).toEqual([4429, 'RESOURCE_EXHAUSTED']);
    expect(socket.bufferedAmount).toBe(0);
  });

  it('is cut off after a second otherwise', async () => {
    const { client, socket } = await askWithoutReading();
    const closed = once(socket, 'close');
    vi.advanceTimersByTime(1_000);
    await closed;
    expect(socket.bufferedAmount).toBe(0);
    client.terminate();
  });

  /**
   * Sends more requests than may wait, without a token and without reading. Every refusal contains
   * the requested name. The clock for reading the reason stands still.
   */
  async function askWithoutReading() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { address, accepted } = await serveSockets();
    const held = watchHeld();
    const client = new WebSocket(address);
    await once(client, 'open');
    const [socket] = accepted;
    if (!socket) throw new Error('The server has not taken the socket.');
    client.pause();
    const question = authentication('x'.repeat(200 * 1024), 'no token');
    for (let sent = 0; sent < 400; sent++) client.send(question);
    await eventually(() => expect(socket.readyState).toBe(WebSocket.CLOSING));
    expect(held()).toBeLessThanOrEqual(MAX_HELD);
    return { client, socket };
  }
});

describe('a socket', () => {
  it('without a token in time is closed with the reason', async () => {
    const { address } = await serveSockets(50);
    const silent = new WebSocket(address);
    const [code, reason] = await once(silent, 'close');
    expect([code, String(reason)]).toEqual([4503, 'UNAVAILABLE']);
  });

  it('without a token is closed when too many others connect, the oldest first', async () => {
    const { address } = await serveSockets();
    const oldest = new WebSocket(address);
    await once(oldest, 'open');
    const closed = once(oldest, 'close');
    const others = Array.from({ length: 3 }, () => new WebSocket(address));
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([4503, 'UNAVAILABLE']);
    await eventually(() => expect(others.every(isOpen)).toBe(true));
  });

  it('with a refused token is closed before those without one', async () => {
    const { address, hocuspocus } = await serveSockets();
    const refusal = new Refusal(closing('PERMISSION_DENIED'));
    hocuspocus.configure({ onAuthenticate: () => Promise.reject(refusal), quiet: true });
    const oldest = new WebSocket(address);
    await once(oldest, 'open');
    const refused = new WebSocket(address);
    await once(refused, 'open');
    const answered = once(refused, 'message');
    refused.send(authentication('acme/plan/body', token));
    await answered;
    const closed = once(refused, 'close');
    const others = Array.from({ length: 2 }, () => new WebSocket(address));
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([4503, 'UNAVAILABLE']);
    await eventually(() => expect([oldest, ...others].every(isOpen)).toBe(true));
  });

  it('whose token is being checked stays open, however many others connect and however long it takes', async () => {
    const looking = Promise.withResolvers<void>();
    const { address, hocuspocus } = await serveSockets(300);
    hocuspocus.configure({ onAuthenticate: () => looking.promise, quiet: true });
    const early = Array.from({ length: 8 }, () => new WebSocket(address));
    for (const socket of early) {
      await once(socket, 'open');
      socket.send(authentication('acme/plan/body', token));
    }
    const silent = new WebSocket(address);
    await once(silent, 'close');
    expect(early.every(isOpen)).toBe(true);
    const answers = Promise.all(early.map((socket) => once(socket, 'message')));
    looking.resolve();
    await answers;
    expect(early.every(isOpen)).toBe(true);
  });

  it('that opens documents again and again is closed with the reason', async () => {
    const { address } = await serveSockets();
    const socket = new WebSocket(address);
    await once(socket, 'open');
    for (let at = 0; at < 300; at++) socket.send(authentication('acme/plan/body', 'no token'));
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4429, 'RESOURCE_EXHAUSTED']);
  });

  it('with too many pings is closed, and its pings wait in the queue of messages', async () => {
    const { address, accepted } = await serveSockets();
    const socket = new WebSocket(address);
    await once(socket, 'open');
    const pong = once(socket, 'pong');
    socket.ping('there?');
    expect(String((await pong)[0])).toBe('there?');
    for (let at = 0; at < 6_000; at++) socket.ping(Buffer.alloc(100));
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4429, 'RESOURCE_EXHAUSTED']);
    expect(accepted[0]?.bufferedAmount).toBe(0);
  });

  it('never uses compression, since compressed data could expand to any size', async () => {
    const { address } = await serveSockets();
    const socket = new WebSocket(address, { perMessageDeflate: true });
    await once(socket, 'open');
    expect(socket.extensions).toBe('');
  });

  it('that opens too many documents at the same time is closed with the reason', async () => {
    const socket = new WebSocket(addressOf(server.url));
    await once(socket, 'open');
    for (let at = 0; at < 60; at++) {
      socket.send(authentication(`acme/plan/${at}`, token));
    }
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4429, 'RESOURCE_EXHAUSTED']);
  });
});

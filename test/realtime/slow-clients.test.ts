import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { connectSocket } from '../../src/realtime/connect-socket.ts';
import { Admissions } from '../../src/realtime/sockets/admissions.ts';
import { BroadcastFrames } from '../../src/realtime/sockets/binary-frame.ts';
import type { DocumentChannel } from '../../src/realtime/sockets/document-channel.ts';
import { MAX_UNADMITTED_PAYLOAD } from '../../src/realtime/sockets/message-limit.ts';
import { SendBudget } from '../../src/realtime/sockets/send-budget.ts';
import { type SocketPath, Sockets } from '../../src/realtime/sockets/sockets.ts';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listen.ts';
import { loopDependencies } from '../support/loop-dependencies.ts';
import { RawSocket, STEP_1, SYNC } from '../support/raw-socket.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const server = await startTestServer();
await makePlan(server);
const token = await userToken(server, 'ada', { accessRole: 'editor' });

/** The bytes that the server may buffer for a client, with the head of a frame. */
const MAX_HELD = 32 * 1024 * 1024 + 16;

const EXHAUSTED = { code: 4429, reason: 'RESOURCE_EXHAUSTED' };
const UNAVAILABLE = { code: 4503, reason: 'UNAVAILABLE' };

const connections = async () => (await scrape(server.url)).get('live_connections') ?? Number.NaN;

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

const refuse = async (channel: DocumentChannel) => channel.refuse('PERMISSION_DENIED');

/** A server of sockets without documents, for tests that send no valid token. */
async function serveSockets(openDocument = refuse, admissionMs = 60_000) {
  const http = createServer();
  const sockets = new Sockets(loopDependencies);
  const accepted: WebSocket[] = [];
  whenFileEnds(() => sockets.close());
  const admissions = new Admissions({ sockets: 3, ms: admissionMs, graceMs: 50 });
  const onOpen: SocketPath['onOpen'] = (socket, request) => {
    accepted.push(socket);
    const parts = { addressOf: () => '', budget: new SendBudget(), frames: new BroadcastFrames() };
    connectSocket({ ...parts, admissions, openDocument }, socket, request);
  };
  sockets.serve(http, { '/collaboration': { onOpen, maxPayload: MAX_UNADMITTED_PAYLOAD } });
  return { url: await listen(http), accepted };
}

const isOpen = ({ socket }: RawSocket) => socket.readyState === WebSocket.OPEN;

const openSockets = (count: number, url: string) =>
  Promise.all(Array.from({ length: count }, () => RawSocket.open(url)));

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
  });

  it('receives the reason if it reads on at once', async () => {
    const { client, socket } = await askWithoutReading();
    client.socket.resume();
    expect(await client.closed).toEqual(EXHAUSTED);
    expect(socket.bufferedAmount).toBe(0);
  });

  it('is cut off after a second otherwise', async () => {
    const { socket } = await askWithoutReading();
    const closed = once(socket, 'close');
    vi.advanceTimersByTime(1_000);
    await closed;
    expect(socket.bufferedAmount).toBe(0);
  });

  /**
   * Sends more requests than may wait, without a token and without reading. Every refusal contains
   * the requested name. The clock for reading the reason stands still.
   */
  async function askWithoutReading() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { url, accepted } = await serveSockets();
    const held = watchHeld();
    const client = await RawSocket.open(url);
    const [socket] = accepted;
    if (!socket) throw new Error('The server has not taken the socket.');
    client.socket.pause();
    const name = 'x'.repeat(200 * 1024);
    for (let sent = 0; sent < 400; sent++) client.authenticate(name, 'no token');
    await eventually(() => expect(socket.readyState).toBe(WebSocket.CLOSING));
    expect(held()).toBeLessThanOrEqual(MAX_HELD);
    return { client, socket };
  }
});

describe('a socket', () => {
  it('is closed when too many others connect: first one with a refused token, then the oldest', async () => {
    const { url } = await serveSockets();
    const oldest = await RawSocket.open(url);
    const refused = await RawSocket.open(url);
    const answered = once(refused.socket, 'message');
    refused.authenticate('acme/plan/body', token);
    await answered;
    const others = await openSockets(2, url);
    expect(await refused.closed).toEqual(UNAVAILABLE);
    expect([oldest, ...others].every(isOpen)).toBe(true);
    others.push(await RawSocket.open(url));
    expect(await oldest.closed).toEqual(UNAVAILABLE);
    expect(others.every(isOpen)).toBe(true);
  });

  it('whose token is being checked stays open, however many others connect and however long it takes, unlike one without a token', async () => {
    const looking = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    const { url } = await serveSockets(async (channel) => {
      await looking.promise;
      channel.admit(false);
      await opened.promise;
    }, 300);
    const early: RawSocket[] = [];
    for (let at = 0; at < 8; at++) {
      const raw = await RawSocket.open(url);
      raw.authenticate('acme/plan/body', token);
      early.push(raw);
    }
    const silent = await RawSocket.open(url);
    expect(await silent.closed).toEqual(UNAVAILABLE);
    expect(early.every(isOpen)).toBe(true);
    const answers = Promise.all(early.map(({ socket }) => once(socket, 'message')));
    looking.resolve();
    await answers;
    expect(early.every(isOpen)).toBe(true);
  });

  it('that sends much while a document opens is read again once the document is open or refused', async () => {
    const refused = Promise.withResolvers<void>();
    const { url, accepted } = await serveSockets(async (channel) => {
      await refused.promise;
      await refuse(channel);
    });
    const raw = await RawSocket.open(url);
    raw.authenticate('acme/plan/body', token);
    for (let at = 0; at < 10; at++) raw.send('acme/plan/body', SYNC, STEP_1, Buffer.alloc(50_000));
    await eventually(() => expect(accepted[0]?.isPaused).toBe(true));
    refused.resolve();
    await eventually(() => expect(accepted[0]?.isPaused).toBe(false));
    expect(isOpen(raw)).toBe(true);
  });

  it('with too many pings is closed, and its pings wait in the queue of messages', async () => {
    const { url, accepted } = await serveSockets();
    const { socket, closed } = await RawSocket.open(url);
    const pong = once(socket, 'pong');
    socket.ping('there?');
    expect(String((await pong)[0])).toBe('there?');
    for (let at = 0; at < 6_000; at++) socket.ping(Buffer.alloc(100));
    expect(await closed).toEqual(EXHAUSTED);
    expect(accepted[0]?.bufferedAmount).toBe(0);
  });

  it('never uses compression, since compressed data could expand to any size', async () => {
    const { url } = await serveSockets();
    const { socket } = await RawSocket.open(url, { perMessageDeflate: true });
    expect(socket.extensions).toBe('');
  });
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Sockets } from '../../src/realtime/sockets/sockets.ts';
import { eventually } from '../support/eventually.ts';

const BEAT_MS = 50;

let http: Server;
let sockets: Sockets;
let url: string;
beforeEach(async () => {
  http = createServer();
  sockets = new Sockets(BEAT_MS);
  sockets.serve(http, () => undefined);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/collaboration`;
});
afterEach(async () => {
  await sockets.close();
  http.close();
});

it('a client without heartbeats is cut off, and one with heartbeats is not', async () => {
  const dead = new WebSocket(url, { autoPong: false });
  const living = new WebSocket(url);
  await Promise.all([once(dead, 'open'), once(living, 'open')]);
  await once(dead, 'close');
  // As many intervals as it took to detect the other client.
  for (let beat = 0; beat < 3; beat++) await once(living, 'ping');
  expect(living.readyState).toBe(WebSocket.OPEN);
});

it('a client that only sends is not cut off', async () => {
  const talking = new WebSocket(url, { autoPong: false });
  await once(talking, 'open');
  for (let beat = 0; beat < 4; beat++) {
    await once(talking, 'ping');
    talking.send('here');
  }
  expect(talking.readyState).toBe(WebSocket.OPEN);
});

describe('a client that', () => {
  /** Pings only when the test says so, so that real time does not count. */
  const beat = () => vi.advanceTimersByTime(15_000);
  let accepted: WebSocket[];
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await sockets.close();
    http.removeAllListeners('upgrade');
    accepted = [];
    sockets = new Sockets();
    sockets.serve(http, (socket) => accepted.push(socket));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function connect() {
    const client = new WebSocket(url, { autoPong: false });
    await once(client, 'open');
    const [socket] = accepted;
    if (!socket) throw new Error('The server has not taken the socket.');
    return { client, socket };
  }

  /** Pauses a client until the server has more to send than the network accepts. */
  async function stop() {
    const { client, socket } = await connect();
    client.pause();
    const { _handle } = networkOf(socket);
    // More bytes than the socket buffers of any system hold.
    for (let sent = 0; sent < 400; sent++) socket.send(megabyte);
    await eventually(() => expect(_handle.writeQueueSize).toBeGreaterThan(0));
    const talk = async () => {
      const message = once(socket, 'message');
      client.send('here');
      await message;
    };
    /** Reads until the network accepts more bytes. */
    const sip = async () => {
      const taken = () => {
        const { bytesWritten, writableLength } = networkOf(socket);
        return `${bytesWritten - writableLength} ${_handle.writeQueueSize}`;
      };
      const [before, stopReading] = [taken(), () => client.pause()];
      client.on('message', stopReading);
      await eventually(() => {
        client.resume();
        expect(taken()).not.toBe(before);
      });
      client.off('message', stopReading);
      client.pause();
    };
    return { client, socket, talk, sip };
  }

  it('sends unsolicited pongs is cut off', async () => {
    const { client, socket } = await connect();
    beat();
    const pong = once(socket, 'pong');
    client.pong('I am here');
    await pong;
    const closed = once(client, 'close');
    beat();
    await closed;
  });

  it('sends without reading its messages is cut off after 30 s', async () => {
    const { client, socket, talk } = await stop();
    for (let beats = 0; beats < 3; beats++) {
      expect(socket.readyState).toBe(WebSocket.OPEN);
      await talk();
      beat();
    }
    expect(socket.readyState).toBe(WebSocket.CLOSING);
    client.terminate();
  });

  it('reads slowly is not cut off, though it answers every ping late', async () => {
    const { client, socket, sip } = await stop();
    for (let beats = 0; beats < 3; beats++) {
      beat();
      await sip();
      expect(socket.bufferedAmount).toBeGreaterThan(0);
    }
    expect(socket.readyState).toBe(WebSocket.OPEN);
    client.terminate();
  });
});

const megabyte = Buffer.alloc(1024 * 1024);

/** The TCP socket of a WebSocket, and how many sent bytes the network has not accepted. */
const networkOf = (socket: WebSocket) =>
  (socket as unknown as { _socket: Socket & { _handle: { writeQueueSize: number } } })._socket;

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MAX_PAYLOAD } from '../../src/realtime/sockets/message-limit.ts';
import { Sockets } from '../../src/realtime/sockets/sockets.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listen.ts';
import { loopDependencies } from '../support/loop-dependencies.ts';

let sockets: Sockets;
let url: string;
let accepted: WebSocket[];

async function serve(heartbeatMs: number) {
  accepted = [];
  const http = createServer();
  sockets = new Sockets(loopDependencies, heartbeatMs);
  sockets.serve(http, {
    '/collaboration': { onOpen: (socket) => accepted.push(socket), maxPayload: MAX_PAYLOAD },
  });
  url = `${(await listen(http)).replace('http', 'ws')}/collaboration`;
}
afterEach(() => sockets.close());

/** The client's side of a connection, and the server's. */
async function connect(options: { autoPong: boolean } = { autoPong: false }) {
  const client = new WebSocket(url, options);
  await once(client, 'open');
  const socket = accepted.at(-1);
  if (!socket) throw new Error('The server has not taken the socket.');
  const talk = async () => {
    const message = once(socket, 'message');
    client.send('here');
    await message;
  };
  return { client, socket, talk };
}

it('the heartbeat runs at its interval', async () => {
  await serve(50);
  const { client } = await connect();
  await once(client, 'close');
});

describe('a client that', () => {
  /** The test alone decides when the heart beats. */
  const beat = () => sockets.heartbeat.beat();
  beforeEach(() => serve(3_600_000));

  it('neither sends nor answers pings is cut off, unlike others', async () => {
    const [dead, talking] = [await connect(), await connect()];
    const answering = await connect({ autoPong: true });
    const closed = once(dead.client, 'close');
    for (let beats = 0; beats < 4; beats++) {
      const pong = once(answering.socket, 'pong');
      beat();
      await pong;
      await talking.talk();
    }
    await closed;
    for (const { socket } of [talking, answering]) expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it('sends a message slowly is not cut off, though its pongs have to wait for the end of the message', async () => {
    const { client, socket } = await connect();
    // The head of a frame of 1 MB. The content follows in pieces.
    const raw = networkOf(client);
    raw.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]));
    for (let beats = 0; beats < 4; beats++) {
      expect(socket.readyState).toBe(WebSocket.OPEN);
      const arrived = once(networkOf(socket), 'data');
      raw.write(Buffer.alloc(1_000));
      await arrived;
      beat();
    }
    // Without further pieces the client counts as dead.
    const closed = once(client, 'close');
    beat();
    beat();
    await closed;
  });

  /** Connects a client that does not read, and sends it more than the network holds. */
  async function stop() {
    const { client, socket, talk } = await connect();
    client.pause();
    const { _handle } = networkOf(socket);
    // No operating system buffers this much.
    for (let sent = 0; sent < 400; sent++) socket.send(megabyte);
    await eventually(() => expect(_handle.writeQueueSize).toBeGreaterThan(0));
    /** Reads until the network has taken more. */
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

/** The socket under a WebSocket, and how many sent bytes the network has not taken yet. */
const networkOf = (socket: WebSocket) =>
  (socket as unknown as { _socket: Socket & { _handle: { writeQueueSize: number } } })._socket;

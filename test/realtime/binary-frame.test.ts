import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { binaryFrame, MAX_FRAMED_BYTES } from '../../src/realtime/sockets/binary-frame.ts';

const LENGTHS = [0, 1, 125, 126, 127, 255, 256, 1_000, MAX_FRAMED_BYTES];

it('a client reads framed messages of any length as they were', async () => {
  const messages = LENGTHS.map((length) => Buffer.alloc(length, length % 251));
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (_socket, { socket }) => {
    for (const message of messages) socket.write(binaryFrame(message));
  });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const read: Buffer[] = [];
  client.on('message', (message: Buffer, isBinary) => {
    expect(isBinary).toBe(true);
    read.push(message);
    if (read.length === messages.length) client.close();
  });
  await once(client, 'close');
  server.close();
  expect(read).toEqual(messages);
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Sockets } from '../../src/realtime/sockets.ts';

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

it('a client that gives no sign of life is cut off, and one that does is not', async () => {
  const dead = new WebSocket(url, { autoPong: false });
  const living = new WebSocket(url);
  await Promise.all([once(dead, 'open'), once(living, 'open')]);
  await once(dead, 'close');
  // As many times as it took to find out about the other.
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

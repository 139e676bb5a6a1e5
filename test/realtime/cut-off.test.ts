import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { connectSocket } from '../../src/realtime/connect-socket.ts';
import { LiveHocuspocus } from '../../src/realtime/live-hocuspocus.ts';
import { Sockets } from '../../src/realtime/sockets.ts';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  await makePlan(server);
  token = await userToken(server, 'ada', { accessRole: 'editor' });
});

const addressOf = (url: string) => `${url.replace(/^http/, 'ws')}/collaboration`;

async function connections(): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^live_connections (\d+)/m.exec(metrics)?.[1]);
}

describe('a client that stops reading', () => {
  it('is cut off while others write on', async () => {
    const name = 'acme/plan/slow';
    const writer = await openEditor({ url: server.url, name, token });
    const reader = await openEditor({ url: server.url, name, token });
    expect(await connections()).toBe(2);
    const { websocketProvider } = reader.provider.configuration;
    const { webSocket } = websocketProvider as unknown as { webSocket: { _socket: Socket } };
    webSocket._socket.pause();
    const text = 'x'.repeat(4_000_000);
    const closed = new Promise((resolve) => webSocket._socket.once('close', resolve));
    // What it may hold of the server's memory, and what the network keeps on the way.
    for (let round = 0; round < 15 && (await connections()) > 1; round++) {
      writer.text.insert(0, text);
      writer.text.delete(0, text.length);
      await writer.sent(15_000);
    }
    await eventually(async () => expect(await connections()).toBe(1));
    webSocket._socket.resume();
    await closed;
    writer.text.insert(0, 'still here');
    await writer.sent();
  }, 60_000);
});

describe('a socket', () => {
  it('that shows no token in time is closed, with the reason', async () => {
    const http = createServer();
    const sockets = new Sockets();
    whenFileEnds(async () => {
      await sockets.close();
      http.close();
    });
    const live = {
      hocuspocus: new LiveHocuspocus(),
      whenStored: () => undefined,
      admissionMs: 50,
    };
    sockets.serve(http, (socket, request) => connectSocket(live, socket, request));
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    const silent = new WebSocket(addressOf(`http://127.0.0.1:${port}`));
    const [code, reason] = await once(silent, 'close');
    expect([code, String(reason)]).toEqual([4403, 'PERMISSION_DENIED']);
  });

  it('that opens more documents at once than anybody does is closed, with the reason', async () => {
    const socket = new WebSocket(addressOf(server.url));
    await once(socket, 'open');
    const bytes = (content: string) => {
      const { length } = Buffer.from(content);
      return [
        ...(length < 128 ? [length] : [(length & 127) | 128, length >> 7]),
        ...Buffer.from(content),
      ];
    };
    for (let at = 0; at < 60; at++) {
      socket.send(Buffer.from([...bytes(`acme/plan/${at}`), 2, 0, ...bytes(token)]));
    }
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4429, 'RESOURCE_EXHAUSTED']);
  });
});

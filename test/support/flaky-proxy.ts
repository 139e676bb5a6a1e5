import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { whenTestEnds } from './when-file-ends.ts';

/** A TCP proxy between clients and a server, with connections that a test can break. */
export interface FlakyProxy {
  url: string;
  /** Breaks every connection. */
  breakAll(): void;
  /** Drops everything that is sent, also on new connections until `deliverPackets`. */
  dropPackets(): void;
  /** Forwards new connections again. Earlier connections with lost packets stay dead. */
  deliverPackets(): void;
  /** Breaks every connection, and each new one until `accept`, as without a server. */
  refuse(): void;
  accept(): void;
  /** How many connections were refused. */
  readonly refused: number;
  /** Forwards new connections to this URL from now on. */
  forwardTo(url: string): void;
}

export async function flakyProxy(target: string): Promise<FlakyProxy> {
  let port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  let isDropping = false;
  let isRefusing = false;
  let refused = 0;
  const drop = (socket: Socket) => socket.unpipe().resume();
  const proxy = createServer((client) => {
    keep(client);
    if (isRefusing) {
      refused++;
      client.destroy();
      return;
    }
    if (isDropping) {
      drop(client);
      return;
    }
    const server = connect(port, '127.0.0.1');
    keep(server);
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  whenTestEnds(() => {
    breakAll();
    proxy.close();
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    breakAll,
    dropPackets: () => {
      isDropping = true;
      for (const socket of sockets) drop(socket);
    },
    deliverPackets: () => {
      isDropping = false;
    },
    refuse: () => {
      isRefusing = true;
      breakAll();
    },
    accept: () => {
      isRefusing = false;
    },
    get refused() {
      return refused;
    },
    forwardTo: (url) => {
      port = Number(new URL(url).port);
    },
  };
}

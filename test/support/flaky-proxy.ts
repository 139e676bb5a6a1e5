import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach } from 'vitest';

/** A network between clients and a server, whose connections break when a test says so. */
export interface FlakyProxy {
  url: string;
  /** Breaks every connection. */
  breakAll(): void;
  /** Loses all that is sent on connections there are and, until delivery begins anew, on new ones. */
  swallow(): void;
  /** Serves new connections again; what had lost something stays dead. */
  deliver(): void;
  /** Where new connections go from now on. */
  leadTo(url: string): void;
}

const open: Array<() => void> = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

export async function flakyProxy(target: string): Promise<FlakyProxy> {
  let port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  let swallows = false;
  const swallow = (socket: Socket) => socket.unpipe().resume();
  const proxy = createServer((client) => {
    keep(client);
    if (swallows) {
      swallow(client);
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
  open.push(() => {
    breakAll();
    proxy.close();
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    breakAll,
    swallow: () => {
      swallows = true;
      for (const socket of sockets) swallow(socket);
    },
    deliver: () => {
      swallows = false;
    },
    leadTo: (url) => {
      port = Number(new URL(url).port);
    },
  };
}

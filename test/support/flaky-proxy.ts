import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach } from 'vitest';

/** A network between clients and a server, whose connections break when a test says so. */
export interface FlakyProxy {
  url: string;
  /** Breaks every connection. */
  breakAll(): void;
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
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) keep(socket);
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
    leadTo: (url) => {
      port = Number(new URL(url).port);
    },
  };
}

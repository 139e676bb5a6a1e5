import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';

/** Here, since a hook that is made while hooks run is never called. */
const closings: Array<() => void> = [];
afterAll(() => {
  for (const close of closings.splice(0)) close();
});

/** A network between one side and another, which a test can cut. For a whole file. */
export interface Network {
  /** Where the other side is reached through it: the same URL, with another port. */
  url: string;
  /** Breaks every connection, and takes no new ones. */
  cut(): void;
  mend(): void;
  /** What the other side says is kept back, as from a process that stands still. */
  holdAnswers(): void;
  releaseAnswers(): void;
}

/** @param target The URL of the other side, or who is on the other side at that moment. */
export async function createNetwork(target: string | (() => string)): Promise<Network> {
  const targetOf = typeof target === 'string' ? () => target : target;
  const sockets = new Set<Socket>();
  const answering = new Set<Socket>();
  let isCut = false;
  let isHeld = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const proxy = createServer((near) => {
    keep(near);
    if (isCut) return near.destroy();
    const { hostname, port } = new URL(targetOf());
    const far = connect(Number(port), hostname);
    keep(far);
    near.pipe(far).pipe(near);
    answering.add(far);
    far.on('close', () => answering.delete(far));
    if (isHeld) far.pause();
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  closings.push(() => {
    breakAll();
    proxy.close();
  });
  const url = new URL(targetOf());
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href.replace(/\/$/, ''),
    cut: () => {
      isCut = true;
      breakAll();
    },
    mend: () => {
      isCut = false;
    },
    holdAnswers: () => {
      isHeld = true;
      for (const far of answering) far.pause();
    },
    releaseAnswers: () => {
      isHeld = false;
      for (const far of answering) far.resume();
    },
  };
}

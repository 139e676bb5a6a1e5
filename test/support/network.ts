import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { whenFileEnds } from './when-file-ends.ts';

export type Network = Awaited<ReturnType<typeof createNetwork>>;

/**
 * A TCP proxy that a test can cut, stop or slow down. It is closed at the end of the file.
 *
 * @param target The target's URL, or a function that returns its current URL.
 */
export async function createNetwork(target: string | (() => string)) {
  let targetOf = typeof target === 'string' ? () => target : target;
  const sockets = new Set<Socket>();
  const answering = new Set<Socket>();
  const is = { cut: false, held: false, dropping: false };
  let refused = 0;
  let delayMs = 0;
  let stalled: PromiseWithResolvers<void> | undefined;
  const passage = () =>
    new Transform({
      async transform(data, _encoding, done) {
        if (delayMs > 0) await sleep(delayMs);
        await stalled?.promise;
        done(null, data);
      },
    });
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const drop = (socket: Socket) => socket.unpipe().resume();
  const proxy = createServer((near) => {
    keep(near);
    if (is.cut) {
      refused++;
      return near.destroy();
    }
    if (is.dropping) return drop(near);
    const { hostname, port } = new URL(targetOf());
    const far = connect(Number(port), hostname);
    keep(far);
    near.pipe(passage()).pipe(far).pipe(passage()).pipe(near);
    answering.add(far);
    far.on('close', () => answering.delete(far));
    if (is.held) far.pause();
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  whenFileEnds(() => {
    breakAll();
    proxy.close();
  });
  const url = new URL(targetOf());
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    /** The URL of the target through the proxy: the same URL with another port. */
    url: url.href.replace(/\/$/, ''),
    /** Breaks every connection. */
    breakAll,
    /** Breaks every connection, and refuses new ones, as without a server. */
    cut: () => {
      is.cut = true;
      breakAll();
    },
    /** How many connections were refused. */
    get refused() {
      return refused;
    },
    /** Holds back everything in both directions until `mend`. */
    stall: () => {
      stalled ??= Promise.withResolvers();
    },
    /** Forwards each piece of data only after this time. */
    slow: (ms: number) => {
      delayMs = ms;
    },
    /** Ends `cut`, `stall` and `slow`. */
    mend: () => {
      is.cut = false;
      delayMs = 0;
      stalled?.resolve();
      stalled = undefined;
    },
    /** Drops everything that is sent, also on new connections until `deliverPackets`. */
    dropPackets: () => {
      is.dropping = true;
      for (const socket of sockets) drop(socket);
    },
    /** Forwards new connections again. Earlier connections with lost packets stay dead. */
    deliverPackets: () => {
      is.dropping = false;
    },
    /** Holds back the target's answers, as if the target had frozen. */
    holdAnswers: () => {
      is.held = true;
      for (const far of answering) far.pause();
    },
    releaseAnswers: () => {
      is.held = false;
      for (const far of answering) far.resume();
    },
    /** Forwards new connections to this URL from now on. */
    forwardTo: (next: string) => {
      targetOf = () => next;
    },
  };
}

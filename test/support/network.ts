import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { whenFileEnds } from './when-file-ends.ts';

/** A TCP proxy that a test can cut, stop or slow down. It is closed at the end of the file. */
export interface Network {
  /** The URL of the target through the proxy: the same URL with another port. */
  url: string;
  /** Breaks every connection. */
  breakAll(): void;
  /** Breaks every connection, and refuses new ones, as without a server. */
  cut(): void;
  /** How many connections were refused. */
  readonly refused: number;
  /** Holds back everything in both directions until `mend`. */
  stall(): void;
  /** Forwards each piece of data only after this time. */
  slow(ms: number): void;
  /** Ends `cut`, `stall` and `slow`. */
  mend(): void;
  /** Drops everything that is sent, also on new connections until `deliverPackets`. */
  dropPackets(): void;
  /** Forwards new connections again. Earlier connections with lost packets stay dead. */
  deliverPackets(): void;
  /** Holds back the target's answers, as if the target had frozen. */
  holdAnswers(): void;
  releaseAnswers(): void;
  /** Forwards new connections to this URL from now on. */
  forwardTo(url: string): void;
}

/** @param target The target's URL, or a function that returns its current URL. */
export async function createNetwork(target: string | (() => string)): Promise<Network> {
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
    url: url.href.replace(/\/$/, ''),
    breakAll,
    cut: () => {
      is.cut = true;
      breakAll();
    },
    get refused() {
      return refused;
    },
    stall: () => {
      stalled ??= Promise.withResolvers();
    },
    slow: (ms) => {
      delayMs = ms;
    },
    mend: () => {
      is.cut = false;
      delayMs = 0;
      stalled?.resolve();
      stalled = undefined;
    },
    dropPackets: () => {
      is.dropping = true;
      for (const socket of sockets) drop(socket);
    },
    deliverPackets: () => {
      is.dropping = false;
    },
    holdAnswers: () => {
      is.held = true;
      for (const far of answering) far.pause();
    },
    releaseAnswers: () => {
      is.held = false;
      for (const far of answering) far.resume();
    },
    forwardTo: (next) => {
      targetOf = () => next;
    },
  };
}

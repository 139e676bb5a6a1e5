import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { requestIdOf } from '../../api/request-id.ts';
import { refuseConnection } from '../../api/responses/refuse-connection.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { waitFor } from '../../platform/wait-for.ts';
import { type CloseReason, REFUSED } from '../refusal.ts';
import { Heartbeat } from './heartbeat.ts';

/** A client that vanishes without a close frame is noticed within twice this time. */
const HEARTBEAT_MS = 15_000;
/** A client that does not reply to the close frame within this time is disconnected. */
const CLOSE_GRACE_MS = 1_000;
const GOING_AWAY = 1001;

/** The handler of one path for the sockets that clients open there. */
export interface SocketPath {
  onOpen(socket: WebSocket, request: IncomingMessage): void;
  /** The largest message, in bytes, that a client may send at first. The path may raise the limit later. */
  maxPayload: number;
}

/** The WebSocket side of the HTTP server. */
export class Sockets {
  readonly #servers: WebSocketServer[] = [];
  readonly heartbeat = new Heartbeat();
  readonly #heartbeatLoop: BackgroundLoop;
  readonly #metrics: Metrics;
  #isClosing = false;

  constructor(deps: LoopDependencies & { metrics: Metrics }, heartbeatMs = HEARTBEAT_MS) {
    this.#metrics = deps.metrics;
    this.#heartbeatLoop = new BackgroundLoop(deps, {
      name: 'socket-heartbeat',
      everyMs: heartbeatMs,
      run: async () => this.heartbeat.beat(),
      failure: 'Sockets could not be checked.',
    });
  }

  serve(http: Server, paths: Record<string, SocketPath>): void {
    this.#heartbeatLoop.start();
    const upgrades = new Map(
      Object.entries(paths).map(([path, options]) => [path, this.#accept(path, options)]),
    );
    http.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      const upgrade = upgrades.get(request.url?.split('?')[0] ?? '');
      if (!upgrade) return refuse(socket, request, noSocketsError());
      if (this.#isClosing) return refuse(socket, request, stoppingError());
      upgrade(request, socket, head);
    });
  }

  #accept(path: string, { onOpen, maxPayload }: SocketPath) {
    const server = new WebSocketServer({
      noServer: true,
      maxPayload,
      // A few compressed bytes could expand to megabytes.
      perMessageDeflate: false,
      // Each path replies to pings itself: it counts them as messages, and unread pongs as unread data.
      autoPong: false,
    });
    this.#servers.push(server);
    server.on('wsClientError', ({ message }, socket, request) =>
      refuse(socket, request, invalidArgument(`${message}.`), VERSION_HEADER),
    );
    return (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      server.handleUpgrade(request, socket, head, (accepted) => {
        // A malformed frame closes its socket; the error needs no other handling.
        accepted.on('error', () => undefined);
        this.#count(path, accepted);
        this.heartbeat.watch(accepted, request.socket);
        onOpen(accepted, request);
      });
    };
  }

  #count(path: string, socket: WebSocket): void {
    const { openSockets, socketRefusals } = this.#metrics;
    openSockets.inc({ path });
    socket.once('close', () => openSockets.dec({ path }));
    socket.on(REFUSED, (reason: CloseReason) => socketRefusals.inc({ reason }));
  }

  /** Closes all sockets with a close frame, accepts no new ones, and waits until all are closed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#heartbeatLoop.stop();
    const clients = this.#servers.flatMap((server) => [...server.clients]);
    const closed = clients.map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    for (const socket of clients) socket.close(GOING_AWAY, 'UNAVAILABLE');
    await waitFor(Promise.all(closed), CLOSE_GRACE_MS);
    for (const socket of clients) socket.terminate();
    await Promise.all(closed);
  }
}

const noSocketsError = () => new AppError('NOT_FOUND', 'There are no WebSockets at this path.');
const stoppingError = () => new AppError('UNAVAILABLE', 'The server is stopping. Connect again.');

/** RFC 6455 requires a server to name its versions to clients that use another version. */
const VERSION_HEADER = { 'Sec-WebSocket-Version': '13, 8' };

const refuse = (socket: Duplex, request: IncomingMessage, failure: AppError, headers = {}) =>
  refuseConnection(socket, failure, requestIdOf(request), headers);

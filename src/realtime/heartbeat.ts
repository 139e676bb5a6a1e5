import type { WebSocket, WebSocketServer } from 'ws';

/** A client that is gone without a goodbye is noticed within twice this time. */
const INTERVAL_MS = 15_000;

/** Asks every client for a sign of life, and cuts off who gave none since it was last asked. */
export class Heartbeat {
  readonly #server: WebSocketServer;
  readonly #silent = new WeakSet<WebSocket>();
  readonly #timer: NodeJS.Timeout;

  constructor(server: WebSocketServer, intervalMs = INTERVAL_MS) {
    this.#server = server;
    this.#timer = setInterval(() => this.#beat(), intervalMs);
    server.on('connection', (socket: WebSocket) => {
      for (const sign of ['pong', 'message']) socket.on(sign, () => this.#silent.delete(socket));
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    for (const socket of this.#server.clients) {
      if (this.#silent.has(socket)) {
        socket.terminate();
      } else {
        this.#silent.add(socket);
        socket.ping();
      }
    }
  }
}

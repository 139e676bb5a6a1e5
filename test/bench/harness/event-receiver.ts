import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives webhooks in this process, where little else runs. */
export class EventReceiver {
  readonly #server: Server;
  /** Emits `arrival` with the body of each webhook. */
  readonly #emitter = new EventEmitter<{ arrival: [body: string] }>();
  /** When webhooks arrived, in milliseconds of this process. */
  readonly arrivals: number[] = [];

  static async start(): Promise<EventReceiver> {
    const receiver = new EventReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(200, { 'content-length': 0 }).end();
        this.arrivals.push(performance.now());
        this.#emitter.emit('arrival', Buffer.concat(chunks).toString());
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Resolves when a webhook arrives that contains the text. */
  async next(text: string, deadlineMs: number): Promise<void> {
    const signal = AbortSignal.timeout(deadlineMs);
    for (;;) {
      const [body] = await once(this.#emitter, 'arrival', { signal });
      if (body.includes(text)) return;
    }
  }

  /** Resolves when this many have arrived in all. */
  async received(count: number, deadlineMs: number): Promise<void> {
    const signal = AbortSignal.timeout(deadlineMs);
    while (this.arrivals.length < count) await once(this.#emitter, 'arrival', { signal });
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Call } from './benchmark.ts';
import { CREDENTIALS } from './credentials.ts';

interface HttpAnswer {
  status: number;
  body: string;
}

/**
 * One kept-alive connection with one request at a time. It supports only the responses of the two
 * servers (`Content-Length`, no chunks), because a complete client would cost as much as the
 * server.
 */
export class HttpConnection {
  readonly #socket: Socket;
  /** The headers of every request. */
  readonly #head: string;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;
  /** The length of the answer; 0 until its head is complete. */
  #neededBytes = 0;
  #waiting = Promise.withResolvers<HttpAnswer>();

  static async open(url: string): Promise<HttpConnection> {
    const { hostname, port, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new HttpConnection(socket, host);
  }

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    const headers = { host, ...CREDENTIALS, 'content-type': 'application/json' };
    this.#head = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#waiting.reject(error));
    socket.on('close', () => this.#waiting.reject(new Error('The server hung up.')));
    // A connection that is closed while nobody waits fails the next call instead.
    this.#waiting.promise.catch(() => undefined);
  }

  async post({ path, data }: Call): Promise<HttpAnswer> {
    if (this.#socket.destroyed) throw new Error('The server hung up.');
    this.#waiting = Promise.withResolvers();
    const body = JSON.stringify({ data });
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\n${this.#head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    return this.#waiting.promise;
  }

  /** Posts a call whose failure ends the benchmark. */
  async succeed(call: Call): Promise<void> {
    const { status, body } = await this.post(call);
    if (status !== 200) throw new Error(`${call.path} answered ${status}: ${body}`);
  }

  close(): void {
    this.#waiting.promise.catch(() => undefined);
    this.#socket.destroy();
  }

  /** Chunks are joined once at the end, because a copy for each chunk would be quadratic. */
  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes < this.#neededBytes) return;
    const received = Buffer.concat(this.#chunks);
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = received.toString('latin1', 0, headEnd);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    // Without a length the end is unknown. Closing the socket then rejects.
    if (length === undefined) {
      this.#socket.destroy();
      return;
    }
    this.#neededBytes = headEnd + 4 + Number(length);
    if (received.length < this.#neededBytes) return;
    const body = received.toString('utf8', headEnd + 4, this.#neededBytes);
    this.#chunks = [];
    this.#receivedBytes = 0;
    this.#neededBytes = 0;
    this.#waiting.resolve({ status: Number(head.slice(9, 12)), body });
  }
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Call } from './benchmark.ts';
import { CREDENTIALS } from './credentials.ts';

export interface HttpAnswer {
  status: number;
  body: string;
}

const linesOf = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

/**
 * One kept-alive connection with one request at a time. It supports only the responses of the two
 * servers (`Content-Length`, no chunks), because a complete client would cost as much as the
 * server.
 */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #headers: string;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;
  /** The length of the answer; 0 until its head is complete. */
  #neededBytes = 0;
  #waiting = Promise.withResolvers<HttpAnswer>();

  static async open(
    url: string,
    credentials: Record<string, string> = CREDENTIALS,
  ): Promise<HttpConnection> {
    const { hostname, port, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new HttpConnection(socket, host, credentials);
  }

  private constructor(socket: Socket, host: string, credentials: Record<string, string>) {
    this.#socket = socket;
    this.#host = host;
    this.#headers = linesOf({ ...credentials, 'content-type': 'application/json' });
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#waiting.reject(error));
    socket.on('close', () => this.#waiting.reject(new Error('The server hung up.')));
    // A connection that is closed while nobody waits fails the next call instead.
    this.#waiting.promise.catch(() => undefined);
  }

  async post({ path, data }: Call, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    if (this.#socket.destroyed) throw new Error('The server hung up.');
    this.#waiting = Promise.withResolvers();
    const body = JSON.stringify({ data });
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n${this.#headers}${linesOf(headers)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    return this.#waiting.promise;
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

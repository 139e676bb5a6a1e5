import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';

const DEADLINE_MS = 10_000;

/** A client that sends raw bytes, and collects the answers. */
export class RawClient {
  readonly socket: Socket;
  received = '';
  /** Whether the server has closed its side, or the connection is gone. */
  isOver = false;
  error: NodeJS.ErrnoException | undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    this.socket.on('data', (data) => {
      this.received += data.toString('latin1');
    });
    for (const end of ['end', 'close']) {
      this.socket.on(end, () => {
        this.isOver = true;
      });
    }
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error;
    });
    onTestFinished(() => void this.socket.destroy());
  }

  /** Resolves once the operating system has accepted the bytes. */
  send(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.socket.write(text, () => resolve()));
  }

  /** Resolves with the nth answer once it is complete. */
  answer(nth = 0): Promise<{ status: number; head: string; body: string }> {
    return eventually(() => {
      const found = answersIn(this.received)[nth];
      if (!found) throw new Error(`No answer ${nth}: ${this.received.slice(0, 500)}`);
      return found;
    }, DEADLINE_MS);
  }

  /** Resolves once the server has closed its side, or the connection is gone. */
  async ended(): Promise<void> {
    await eventually(() => {
      if (!this.isOver) throw new Error('The connection is still open.');
    }, DEADLINE_MS);
  }
}

/** An open connection. */
export async function rawClient(url: string): Promise<RawClient> {
  const client = new RawClient(url);
  await once(client.socket, 'connect');
  return client;
}

/** Parses answers with a Content-Length. A 1xx has no body. */
function answersIn(text: string) {
  const answers: Array<{ status: number; head: string; body: string }> = [];
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const head = rest.slice(0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (rest.length < end + 4 + length) return answers;
    const status = Number(head.split(' ')[1]);
    answers.push({ status, head, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
}

/** A whole POST of data. */
export function postOf(path: string, data: object, headers: Record<string, string>): string {
  const text = JSON.stringify({ data });
  return headOf(path, { ...headers, 'Content-Length': Buffer.byteLength(text) }) + text;
}

/** The head of a POST with JSON. */
export const headOf = (path: string, headers: Record<string, string | number>): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: test',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

import { once } from 'node:events';
import { expect } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { eventually } from './eventually.ts';
import { whenTestEnds } from './when-file-ends.ts';

/** A number in seven bits a byte, least significant first, as the protocol encodes lengths. */
export const varUint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varUint(Math.floor(value / 128))];

/** The content with its length in front. */
export const withLength = (content: Uint8Array | string): Buffer => {
  const raw = Buffer.from(content);
  return Buffer.concat([Buffer.from(varUint(raw.length)), raw]);
};

/** Types of messages, and the kinds of the synchronization messages. */
export const SYNC = 0;
export const AWARENESS = 1;
const AUTH = 2;
export const QUERY_AWARENESS = 3;
export const STATELESS = 5;
export const CLOSE = 7;
const SYNC_STATUS = 8;
export const STEP_1 = 0;
export const STEP_2 = 1;
export const UPDATE = 2;

/** A client that can send any message, until the test ends. */
export class RawSocket {
  readonly socket: WebSocket;
  /** The code and reason with which the server closed the socket. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #received: Array<{ name: string; rest: Buffer }> = [];

  static async open(url: string, options: ClientOptions = {}): Promise<RawSocket> {
    const raw = new RawSocket(
      new WebSocket(`${url.replace(/^http/, 'ws')}/collaboration`, options),
    );
    whenTestEnds(() => raw.socket.terminate());
    await once(raw.socket, 'open');
    return raw;
  }

  /** A client with access to a document. */
  static async openWithAccess(url: string, name: string, token: string): Promise<RawSocket> {
    const raw = await RawSocket.open(url);
    raw.authenticate(name, token);
    await eventually(() => expect(raw.received(name, AUTH, 2)).toHaveLength(1));
    return raw;
  }

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      const length = data[0] ?? 0;
      const name = String(data.subarray(1, 1 + length));
      this.#received.push({ name, rest: data.subarray(1 + length) });
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** The messages of one type and kind for a document, whose name is shorter than 128 bytes. */
  received(name: string, type: number, kind: number): Buffer[] {
    return this.#received
      .filter((message) => message.name === name)
      .map(({ rest }) => rest)
      .filter((rest) => rest[0] === type && rest[1] === kind);
  }

  /** The confirmations that edits of a document are stored. */
  confirmations(name: string): Buffer[] {
    return this.received(name, SYNC_STATUS, 1);
  }

  /** The reasons for which connections to a document were refused or closed. */
  closeReasons(name: string): string[] {
    const refused = this.received(name, AUTH, 1);
    const ended = this.#received
      .filter((message) => message.name === name && message.rest[0] === CLOSE)
      .map(({ rest }) => rest.subarray(1));
    return [...refused.map((rest) => rest.subarray(2)), ...ended].map((text) =>
      String(text.subarray(1)),
    );
  }

  send(name: string, ...message: Array<number | Uint8Array>): void {
    this.socket.send(frameOf(name, ...message));
  }

  authenticate(name: string, token: string): void {
    this.send(name, AUTH, 0, withLength(token));
  }
}

const frameOf = (name: string, ...message: Array<number | Uint8Array>): Buffer =>
  Buffer.concat([
    withLength(name),
    ...message.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)),
  ]);

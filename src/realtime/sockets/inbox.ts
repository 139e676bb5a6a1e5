import type { WebSocket } from 'ws';

/** What may wait of one socket. While there is more, it is not read, and its client has to wait. */
const MOST = { bytes: 1024 * 1024, messages: 200 };

/** The messages of a socket that wait to be handled, one document's and all of them. */
export class Inbox {
  readonly #socket: WebSocket;
  readonly #byName = new Map<string, { bytes: number; messages: number }>();
  #bytes = 0;
  #messages = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  add(name: string, bytes: number): void {
    const own = this.#byName.get(name) ?? { bytes: 0, messages: 0 };
    this.#byName.set(name, own);
    this.#count(own, bytes, 1);
    if (this.#isFull && !this.#socket.isPaused) this.#socket.pause();
  }

  /** One is not waiting any more: it is being handled. */
  take(name: string, bytes: number): void {
    const own = this.#byName.get(name);
    if (!own) return;
    this.#count(own, -bytes, -1);
    if (own.messages === 0) this.#byName.delete(name);
    this.#readOn();
  }

  /** Whatever waits for this document will not be handled. */
  drop(name: string): void {
    const own = this.#byName.get(name);
    if (!own) return;
    this.#byName.delete(name);
    this.#count(own, -own.bytes, -own.messages);
    this.#readOn();
  }

  get #isFull(): boolean {
    return this.#bytes > MOST.bytes || this.#messages > MOST.messages;
  }

  #count(own: { bytes: number; messages: number }, bytes: number, messages: number): void {
    own.bytes += bytes;
    own.messages += messages;
    this.#bytes += bytes;
    this.#messages += messages;
  }

  #readOn(): void {
    if (this.#socket.isPaused && !this.#isFull) this.#socket.resume();
  }
}

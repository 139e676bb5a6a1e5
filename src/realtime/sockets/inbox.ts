import type { WebSocket } from 'ws';

/**
 * The most unhandled messages of one socket. Above this the socket is not read. Messages also wait while
 * their documents open, so sockets whose tokens are still being checked can fill this memory too.
 */
const MAX = { bytes: 256 * 1024, messages: 200 };

/** Counts the unhandled messages of a socket, in all and by document. */
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

  /** Call this when the handling of a message begins, since it no longer waits. */
  take(name: string, bytes: number): void {
    const own = this.#byName.get(name);
    if (!own) return;
    this.#count(own, -bytes, -1);
    if (own.messages === 0) this.#byName.delete(name);
    this.#resumeIfRoom();
  }

  /** Call this when the messages of this document will not be handled. */
  drop(name: string): void {
    const own = this.#byName.get(name);
    if (!own) return;
    this.#byName.delete(name);
    this.#count(own, -own.bytes, -own.messages);
    this.#resumeIfRoom();
  }

  get #isFull(): boolean {
    return this.#bytes > MAX.bytes || this.#messages > MAX.messages;
  }

  #count(own: { bytes: number; messages: number }, bytes: number, messages: number): void {
    own.bytes += bytes;
    own.messages += messages;
    this.#bytes += bytes;
    this.#messages += messages;
  }

  #resumeIfRoom(): void {
    if (this.#socket.isPaused && !this.#isFull) this.#socket.resume();
  }
}

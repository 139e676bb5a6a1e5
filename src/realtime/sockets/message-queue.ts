import type { WebSocket } from 'ws';

/**
 * While a socket has more unhandled messages than this, no more are read from it. Messages also wait while
 * their document is being opened, so even sockets whose tokens are still being checked can take this memory.
 */
const MAX_UNHANDLED = { bytes: 256 * 1024, messages: 200 };

/** Counts the unhandled messages of a socket, and stops reading from it while there are too many. */
export class UnhandledMessages {
  readonly #socket: WebSocket;
  #bytes = 0;
  #messages = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  add(message: Uint8Array): void {
    this.#bytes += message.length;
    this.#messages++;
    if (this.#isFull && !this.#socket.isPaused) this.#socket.pause();
  }

  remove(message: Uint8Array): void {
    this.#bytes -= message.length;
    this.#messages--;
    if (this.#socket.isPaused && !this.#isFull) this.#socket.resume();
  }

  get #isFull(): boolean {
    return this.#bytes > MAX_UNHANDLED.bytes || this.#messages > MAX_UNHANDLED.messages;
  }
}

/** Handles a message, given without the address of its document. Never rejects. */
export type HandleMessage = (message: Uint8Array) => Promise<void>;

/** The messages of a client for one document, handled one after the other once the document is open. */
export class MessageQueue {
  readonly #unhandled: UnhandledMessages;
  readonly #waiting: Uint8Array[] = [];
  #handle: HandleMessage | undefined;
  #handling: PromiseWithResolvers<void> | undefined;

  constructor(unhandled: UnhandledMessages) {
    this.#unhandled = unhandled;
  }

  add(message: Uint8Array): void {
    this.#unhandled.add(message);
    this.#waiting.push(message);
    void this.#handleAll();
  }

  /** Call this when the document is open: its messages are handled from now on. */
  startHandling(handle: HandleMessage): void {
    this.#handle = handle;
    void this.#handleAll();
  }

  /** Resolves once the messages that have arrived are handled; undefined while there are none. */
  get handled(): Promise<void> | undefined {
    return this.#handling?.promise;
  }

  /** Drops the waiting messages. */
  drop(): void {
    for (const message of this.#waiting.splice(0)) this.#unhandled.remove(message);
  }

  async #handleAll(): Promise<void> {
    if (!this.#handle || this.#handling) return;
    this.#handling = Promise.withResolvers();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      // Only waiting messages count, not the one that is being handled.
      this.#unhandled.remove(next);
      await this.#handle(next);
    }
    this.#handling.resolve();
    this.#handling = undefined;
  }
}

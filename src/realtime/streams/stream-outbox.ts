import type { WebSocket } from 'ws';

/** While a client has more to read, no further items are sent to it, and its own messages are not read. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** Sends over a client's socket, and makes senders wait while the client does not read. */
export class StreamOutbox {
  readonly #socket: WebSocket;
  /** Resolved when the network has taken more data, so that there may be room for the next item. */
  #sent: PromiseWithResolvers<void> | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.once('close', () => this.#onSent());
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  write(text: string): void {
    if (this.isOpen) this.#socket.send(text, () => this.#onSent());
  }

  pong(data: Buffer): void {
    this.#socket.pong(data, false, () => this.#onSent());
  }

  /** Resolves once the client has read most of the sent data, or has disconnected. */
  async whenRead(): Promise<void> {
    while (this.isOpen && this.#hasUnread) {
      this.#sent ??= Promise.withResolvers();
      await this.#sent.promise;
    }
  }

  /** Stops reading messages of the client until it has read most of the sent data. */
  pauseIfUnread(): void {
    if (this.#hasUnread) this.#socket.pause();
  }

  get #hasUnread(): boolean {
    return this.#socket.bufferedAmount > MAX_UNREAD_BYTES;
  }

  #onSent(): void {
    if (!this.#hasUnread) this.#socket.resume();
    this.#sent?.resolve();
    this.#sent = undefined;
  }
}

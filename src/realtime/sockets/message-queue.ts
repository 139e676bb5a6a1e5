/** Handles a message, which begins after the address of its document. Never rejects. */
export type HandleMessage = (message: Uint8Array) => Promise<void>;

/** The messages of a client for one document, handled one after the other once it is open. */
export class MessageQueue {
  readonly #waiting: Uint8Array[] = [];
  #handle: HandleMessage | undefined;
  #isHandling = false;

  add(message: Uint8Array): void {
    this.#waiting.push(message);
    void this.#handleAll();
  }

  /** Call this when the document is open: its messages are handled from now on. */
  open(handle: HandleMessage): void {
    this.#handle = handle;
    void this.#handleAll();
  }

  /** Drops the messages that wait. */
  drop(): void {
    this.#waiting.length = 0;
  }

  async #handleAll(): Promise<void> {
    if (!this.#handle || this.#isHandling) return;
    this.#isHandling = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#handle(next);
    }
    this.#isHandling = false;
  }
}

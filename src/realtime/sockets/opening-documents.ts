/** What a client may send for documents that are being opened, and may open at once. */
const MAX_MESSAGES = 200;
const MAX_BYTES = 256 * 1024;
const MAX_DOCUMENTS = 50;

/**
 * Counts what waits in memory for the documents that one socket is opening: tokens are being
 * checked, and content is being loaded. Hocuspocus counts too, but tells the console and no reason.
 */
export class OpeningDocuments {
  readonly #waiting = new Map<string, { messages: number; bytes: number }>();

  /** Gives whether one more may be opened. */
  begin(name: string): boolean {
    this.#waiting.set(name, { messages: 0, bytes: 0 });
    return this.#waiting.size <= MAX_DOCUMENTS;
  }

  end(name: string): void {
    this.#waiting.delete(name);
  }

  /** Gives whether there is room for one more message, if it has to wait. */
  add(name: string, bytes: number): boolean {
    const own = this.#waiting.get(name);
    if (!own) return true;
    own.messages++;
    own.bytes += bytes;
    const all = [...this.#waiting.values()];
    return (
      all.reduce((sum, { messages }) => sum + messages, 0) <= MAX_MESSAGES &&
      all.reduce((sum, one) => sum + one.bytes, 0) <= MAX_BYTES
    );
  }
}

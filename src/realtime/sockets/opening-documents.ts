/** The most that one socket may send to documents while they open, and how many may open at once. */
const MAX_MESSAGES = 200;
const MAX_BYTES = 256 * 1024;
const MAX_DOCUMENTS = 50;

/**
 * Limits the messages that wait while one socket's documents open: their tokens are checked, and their
 * content is loaded. Hocuspocus has such limits too, but sends clients no reason.
 */
export class OpeningDocuments {
  readonly #waiting = new Map<string, { messages: number; bytes: number }>();

  /** Returns whether one more document may be opened. */
  begin(name: string): boolean {
    this.#waiting.set(name, { messages: 0, bytes: 0 });
    return this.#waiting.size <= MAX_DOCUMENTS;
  }

  end(name: string): void {
    this.#waiting.delete(name);
  }

  /** Returns whether there is room for one more message, if it has to wait. */
  add(name: string, bytes: number): boolean {
    const own = this.#waiting.get(name);
    if (!own) return true;
    own.messages++;
    own.bytes += bytes;
    const all = [...this.#waiting.values()];
    return (
      all.reduce((sum, { messages }) => sum + messages, 0) <= MAX_MESSAGES &&
      all.reduce((sum, waiting) => sum + waiting.bytes, 0) <= MAX_BYTES
    );
  }
}

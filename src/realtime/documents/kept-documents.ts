import type { OpenDocument } from './open-document.ts';

/** How long a document stays in memory after the last change of a caller. */
const KEPT_MS = 60_000;
const MAX_DOCUMENTS = 500;
/** The size of all kept documents as encoded updates. In memory they take several times as much. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Documents that stay in memory because callers have changed them, and may do so again. */
export class KeptDocuments {
  /** The time of the last change of each document, the oldest first. */
  readonly #changedAt = new Map<OpenDocument, number>();
  readonly #release: (openDoc: OpenDocument) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(release: (openDoc: OpenDocument) => void) {
    this.#release = release;
  }

  has(openDoc: OpenDocument): boolean {
    return this.#changedAt.has(openDoc);
  }

  keep(openDoc: OpenDocument): void {
    const isNew = !this.#changedAt.delete(openDoc);
    this.#changedAt.set(openDoc, performance.now());
    // At this interval, a document may stay for a quarter longer than KEPT_MS.
    this.#timer ??= setInterval(() => this.#trim(), KEPT_MS / 4).unref();
    if (isNew) this.#trim();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#changedAt.clear();
  }

  #trim(): void {
    const oldest = performance.now() - KEPT_MS;
    let count = this.#changedAt.size;
    let bytes = [...this.#changedAt.keys()].reduce((sum, { size }) => sum + size.bytes, 0);
    for (const [openDoc, changedAt] of this.#changedAt) {
      const fits = count <= MAX_DOCUMENTS && bytes <= MAX_BYTES && changedAt > oldest;
      if (fits && !openDoc.document.isDestroyed) continue;
      count--;
      bytes -= openDoc.size.bytes;
      this.#changedAt.delete(openDoc);
      this.#release(openDoc);
    }
    if (this.#changedAt.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

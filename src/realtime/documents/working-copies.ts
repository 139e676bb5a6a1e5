import { applyUpdate, Doc, encodeStateAsUpdate, encodeStateVector } from 'yjs';

/** After copies of so many bytes, as encoded updates, or after so long, others are dropped. */
const MOST_BYTES = 4 * 1024 * 1024;
const IDLE_MS = 1_000;

interface Original {
  document: Doc;
  /** The Yjs client with which changes are written. */
  serverClient: number;
  sizeBytes: number;
  /** How many updates the document has had. */
  revision: number;
}

/** A copy, and the revision of the document that it equals; undefined when it may lack updates. */
interface Kept {
  copy: Doc;
  revision: number | undefined;
}

/**
 * Copies of documents, on which changes of callers are made before they are stored. Making a copy takes
 * longer than most changes, so copies are kept for a moment, for callers who change a document again
 * and again.
 */
export class WorkingCopies {
  /** Two generations of copies: what was not used since one began is dropped when the next begins. */
  #recent = new Map<Original, Kept>();
  #older = new Map<Original, Kept>();
  #recentBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Returns a copy of the document as it is. It belongs to the caller, who may give it back. */
  take(original: Original): Doc {
    const kept = this.#recent.get(original) ?? this.#older.get(original);
    this.#recent.delete(original);
    this.#older.delete(original);
    // Drawing a random id for a new copy would take longer than loading it.
    const copy = kept?.copy ?? new Doc({ guid: '' });
    if (kept?.revision !== original.revision) {
      applyUpdate(copy, encodeStateAsUpdate(original.document, encodeStateVector(copy)));
    }
    // The id is set after loading: Yjs would draw a new id on finding its own among loaded items.
    copy.clientID = original.serverClient;
    return copy;
  }

  /**
   * Keeps a copy for the next change. It must hold nothing that the document does not hold.
   *
   * @param isEqual whether the document holds nothing that the copy lacks
   */
  keep(original: Original, copy: Doc, isEqual: boolean): void {
    if (this.#recentBytes + original.sizeBytes > MOST_BYTES) this.#beginGeneration();
    if (original.sizeBytes > MOST_BYTES || original.document.isDestroyed) return;
    this.#recent.set(original, { copy, revision: isEqual ? original.revision : undefined });
    this.#recentBytes += original.sizeBytes;
    this.#timer ??= setInterval(() => this.#beginGeneration(), IDLE_MS).unref();
  }

  #beginGeneration(): void {
    this.#older = this.#recent;
    this.#recent = new Map();
    this.#recentBytes = 0;
    if (this.#older.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

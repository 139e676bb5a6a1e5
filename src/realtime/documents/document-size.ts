import type { Document } from '@hocuspocus/server';
import { MAX_DOCUMENT_BYTES } from '../../features/crdt/worker/record-change.ts';
import { coalesceCalls } from '../../platform/coalesce-calls.ts';
import { EMPTY_STATE_VECTOR, encodeInTurns } from './encode-in-turns.ts';

/** A full document still accepts small edits, so that its users can make room. */
const SMALL_EDIT_BYTES = 1_024;
const ROOM_FOR_SMALL_EDITS = 1_024 * 1_024;

/** The size of a document, encoded as one update, and the large edits that need room in it. */
export class DocumentSize {
  readonly #document: Document;
  /** An upper bound of the size. Each edit is added to it, even if it deletes content. */
  bytes: number;
  /** Large edits that were accepted, and perhaps not applied yet. */
  readonly #accepted = new Set<Uint8Array>();

  constructor(document: Document, bytes: number) {
    this.#document = document;
    this.bytes = bytes;
  }

  /**
   * Accepts edits if the document has room for them; large ones need room in addition to all others that
   * were accepted. Measures the document only when the edits since the last measurement may exceed the limit.
   *
   * @returns whether the edits are accepted; large ones then count until they are released
   */
  async accept(edits: Uint8Array): Promise<boolean> {
    const isSmall = edits.length <= SMALL_EDIT_BYTES;
    const limit = MAX_DOCUMENT_BYTES + (isSmall ? ROOM_FOR_SMALL_EDITS : 0);
    const hasRoom = () => {
      const added = isSmall ? [edits] : [edits, ...this.#accepted];
      return added.reduce((bytes, { length }) => bytes + length, this.bytes) <= limit;
    };
    if (!hasRoom()) await this.measure();
    if (!hasRoom()) return false;
    if (!isSmall) this.#accepted.add(edits);
    return true;
  }

  /** Call this once accepted edits are applied or dropped. */
  release(edits: Uint8Array): void {
    this.#accepted.delete(edits);
  }

  /** Measures the size exactly. If edits arrive meanwhile, it is measured once more. */
  readonly measure = coalesceCalls(async () => {
    if (!(await this.#measureOnce())) await this.#measureOnce();
  });

  /**
   * Measures the size. Edits that arrive meanwhile are added to it, although the measurement may already
   * include them.
   *
   * @returns whether no edits arrived, so that the size is exact
   */
  async #measureOnce(): Promise<boolean> {
    const before = this.bytes;
    const { length } = await encodeInTurns(this.#document, EMPTY_STATE_VECTOR);
    this.bytes += length - before;
    return this.bytes === length;
  }
}

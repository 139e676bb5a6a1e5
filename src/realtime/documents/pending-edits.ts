import type { Document } from '@hocuspocus/server';
import { mergeUpdates } from 'yjs';
import { MAX_BYTES_AT_ONCE } from '../../features/crdt/worker/apply-in-parts.ts';
import type { DocumentSize } from './document-size.ts';
import { EMPTY_STATE_VECTOR, encodeInTurns } from './encode-in-turns.ts';

/** One or several edits of clients as one update. */
export interface Edits {
  update: Uint8Array;
  /** How many edits were merged into the update. */
  count: number;
  /** The author of the last of these edits. */
  userId: string | undefined;
}

/** When waiting edits take more, for example while the database is unreachable, one update replaces them. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * The edits of clients in a document, from their arrival until they are settled: committed, or lost with the
 * document. They are committed in the order of their arrival.
 */
export class PendingEdits {
  readonly #document: Document;
  readonly #size: DocumentSize;
  /** The edits that are in no transaction yet. */
  readonly #waiting: Edits[] = [];
  #waitingBytes = 0;
  #isFolding = false;
  /** How many edits have ever arrived, and how many of them are settled. */
  #arrived = 0;
  #settled = 0;
  /** The callers that wait until a number of edits is settled, the smallest number first. */
  readonly #waiters: Array<{ target: number; resolve: () => void }> = [];

  constructor(document: Document, size: DocumentSize) {
    this.#document = document;
    this.#size = size;
  }

  add(edit: Omit<Edits, 'count'>): void {
    this.#arrived++;
    this.#waiting.push({ ...edit, count: 1 });
    this.#waitingBytes += edit.update.length;
    // Folding saves memory only if the edits are larger than the document's whole state.
    if (this.#waitingBytes > MAX_WAITING_BYTES + 2 * this.#size.bytes) void this.#foldWaiting();
  }

  /** Whether there are edits in no transaction. */
  get areWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Takes waiting edits for a transaction until the deadline. At least some are taken. Small ones are merged.
   *
   * @param deadline by `performance.now()`
   */
  take(deadline: number): Edits[] {
    const taken: Edits[] = [];
    for (let next = this.#takeMerged(); next; next = this.#takeMerged()) {
      taken.push(next);
      if (performance.now() >= deadline) break;
    }
    return taken;
  }

  /** Takes as many edits as are merged in a few milliseconds. */
  #takeMerged(): Edits | undefined {
    let count = 0;
    let bytes = 0;
    for (const { update } of this.#waiting) {
      bytes += update.length;
      if (count > 0 && bytes > MAX_BYTES_AT_ONCE) break;
      count++;
    }
    const taken = this.#shift(count);
    const last = taken.at(-1);
    if (!last || taken.length === 1) return last;
    const update = mergeUpdates(taken.map((edits) => edits.update));
    return { ...last, update, count: countOf(taken) };
  }

  /** Puts edits of a failed transaction back, before those that have arrived since. */
  putBack(edits: readonly Edits[]): void {
    this.#waiting.unshift(...edits);
    for (const { update } of edits) this.#waitingBytes += update.length;
  }

  /** Replaces waiting edits with the document's whole state, which omits deleted content. */
  async #foldWaiting(): Promise<void> {
    const last = this.#waiting.at(-1);
    if (this.#isFolding || !last) return;
    this.#isFolding = true;
    const update = await encodeInTurns(this.#document, EMPTY_STATE_VECTOR);
    this.#isFolding = false;
    // Later edits stay as they are; nothing is folded if all edits were taken meanwhile.
    const folded = this.#shift(this.#waiting.indexOf(last) + 1);
    if (folded.length > 0) this.putBack([{ ...last, update, count: countOf(folded) }]);
  }

  /** Removes the first waiting edits. */
  #shift(count: number): Edits[] {
    const removed = this.#waiting.splice(0, count);
    for (const { update } of removed) this.#waitingBytes -= update.length;
    return removed;
  }

  /** How many edits are not settled. */
  get unsettledCount(): number {
    return this.#arrived - this.#settled;
  }

  /** Counts the next edits as settled. */
  settle(count: number): void {
    this.#settled += count;
    const firstUnready = this.#waiters.findIndex(({ target }) => target > this.#settled);
    const ready = this.#waiters.splice(0, firstUnready < 0 ? this.#waiters.length : firstUnready);
    for (const { resolve } of ready) resolve();
  }

  /** Drops all edits. Call this when they can never be committed. */
  dropAll(): void {
    this.#shift(this.#waiting.length);
    this.settle(this.unsettledCount);
  }

  /** Resolves once all edits that have arrived so far are settled. */
  async whenSettled(): Promise<void> {
    if (this.unsettledCount === 0) return;
    const target = this.#arrived;
    await new Promise<void>((resolve) => this.#waiters.push({ target, resolve }));
  }
}

export const countOf = (all: readonly Edits[]): number =>
  all.reduce((sum, { count }) => sum + count, 0);

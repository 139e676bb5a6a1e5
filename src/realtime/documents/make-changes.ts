import { type Doc, mergeUpdates } from 'yjs';

/** New content from a caller, which is compared with the stored content when it is committed. */
export interface Change {
  author: string | undefined;
  /** @throws when the change cannot be made; the document is then unchanged. */
  make(doc: Doc): void;
  resolve(): void;
  reject(failure: unknown): void;
}

/** Changes that were made on a copy of a document. */
export interface Made {
  copy: Doc;
  /** The revision of the document that was copied. */
  revision: number;
  changes: Change[];
  /** Undefined when the document has this content already. */
  update: Uint8Array | undefined;
  /** How many of the changes changed something. */
  count: number;
}

/**
 * Makes changes on a copy of a document, one after the other, until the time is over; at least one.
 * Changes that were tried are removed from `waiting`. Nobody sees a change before it is stored, since it may have to be
 * made again on content that another process has stored first.
 */
export function makeChanges(copy: Doc, waiting: Change[], until: number): Omit<Made, 'revision'> {
  const updates: Uint8Array[] = [];
  const collect = (update: Uint8Array) => updates.push(update);
  copy.on('update', collect);
  const changes: Change[] = [];
  let count = 0;
  do {
    const before = updates.length;
    const change = waiting.shift();
    if (change && tryToMake(change, copy)) changes.push(change);
    if (updates.length > before) count++;
  } while (waiting.length > 0 && performance.now() < until);
  copy.off('update', collect);
  const update = updates.length > 1 ? mergeUpdates(updates) : updates[0];
  return { copy, changes, update, count };
}

function tryToMake(change: Change, copy: Doc): boolean {
  try {
    change.make(copy);
    return true;
  } catch (error) {
    change.reject(error);
    return false;
  }
}

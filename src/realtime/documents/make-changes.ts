import { applyUpdate, Doc, encodeStateAsUpdate, mergeUpdates } from 'yjs';

/** New content that a caller waits for, to be compared with what is there when it is stored. */
export interface Change {
  author: string | undefined;
  /** @throws when it cannot be made; then it has changed nothing. */
  make(doc: Doc): void;
  resolve(): void;
  reject(failure: unknown): void;
}

/** Changes that were made on a copy of a document. */
export interface Made {
  copy: Doc;
  changes: Change[];
  /** Undefined: the document reads so already. */
  update: Uint8Array | undefined;
  /** How many of the changes changed something. */
  count: number;
}

/**
 * Makes changes on a copy, one upon the other, until the time is over; the first in any case, and
 * those that it takes are taken out of `waiting`. Nobody sees them before they are stored, since
 * they may have to be made anew on what another process has stored first.
 *
 * @param client the Yjs client id that they are written with
 */
export function makeChanges(document: Doc, client: number, waiting: Change[], until: number): Made {
  const copy = new Doc();
  applyUpdate(copy, encodeStateAsUpdate(document));
  // After what it has written before, which Yjs would take for the doing of another client.
  copy.clientID = client;
  const updates: Uint8Array[] = [];
  copy.on('update', (update: Uint8Array) => updates.push(update));
  const changes: Change[] = [];
  let count = 0;
  do {
    const before = updates.length;
    const change = waiting.shift();
    if (change && tryToMake(change, copy)) changes.push(change);
    if (updates.length > before) count++;
  } while (waiting.length > 0 && performance.now() < until);
  const update = count > 0 ? mergeUpdates(updates) : undefined;
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

import * as Y from 'yjs';

/** A document as the server loads it after a restart: from updates, with untyped roots. */
export function copyOf(doc: Y.Doc): Y.Doc {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  return copy;
}

/** Exchanges updates until all documents are equal. */
export function synchronise(...docs: Y.Doc[]): void {
  const updates = docs.map((doc) => Y.encodeStateAsUpdate(doc));
  for (const doc of docs) for (const update of updates) Y.applyUpdate(doc, update);
}

/** The sizes in bytes of the updates that `work` makes the document send. */
export function updateSizes(doc: Y.Doc, work: () => void): number[] {
  const sizes: number[] = [];
  const listen = (update: Uint8Array) => sizes.push(update.length);
  doc.on('update', listen);
  work();
  doc.off('update', listen);
  return sizes;
}

export function documentWith(fill: (doc: Y.Doc) => void): Y.Doc {
  const doc = new Y.Doc();
  doc.transact(() => fill(doc));
  return doc;
}

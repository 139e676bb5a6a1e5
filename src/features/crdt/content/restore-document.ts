import type * as Y from 'yjs';
import { openRoot, storedTypeOf } from './content-type.ts';
import { Restoration } from './restoration.ts';
import { openXmlRoot } from './xml/xml-content.ts';

/**
 * Changes every root of a document to its content in `past`, by minimal changes in one transaction.
 * The history and concurrent edits are kept. A root that the past lacks is emptied.
 */
export function restoreDocument(doc: Y.Doc, past: Y.Doc): void {
  const keys = new Set([...doc.share.keys(), ...past.share.keys()]);
  doc.transact(() => {
    for (const key of keys) restoreRoot(doc, past, key);
  });
}

function restoreRoot(doc: Y.Doc, past: Y.Doc, key: string): void {
  const [stored, pastType] = [storedTypeOf(doc, key), storedTypeOf(past, key)];
  const type = pastType ?? stored;
  // A root never changes its type, so a root of another type has no earlier content to restore.
  if (type === undefined || (stored ?? type) !== type) return;
  const typed = pastType === undefined ? doc : past;
  const open = (from: Y.Doc) =>
    type === 'xml' ? openXmlRoot(from, key, typed) : openRoot(from, key, type);
  new Restoration().restore(open(doc), open(past));
}

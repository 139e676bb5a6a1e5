import type * as Y from 'yjs';
import { ContentMismatch } from './content-mismatch.ts';
import { richTextFormOf, storedTypeOf } from './content-type.ts';
import { readContent } from './read-content.ts';
import { replaceContent } from './replace-content.ts';
import { readRuns, replaceRuns } from './xml/rich-runs.ts';
import { copyXml } from './xml/xml-content.ts';

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
  const type = storedTypeOf(past, key) ?? storedTypeOf(doc, key);
  if (type === undefined) return;
  try {
    if (type === 'xml') copyXml(past, doc, { key, form: formOf(past, doc, key) });
    else if (type === 'text') replaceRuns(doc.getText(key), readRuns(past.getText(key)));
    else replaceContent(doc, { key, type, data: readContent(past, key, type) });
  } catch (error) {
    // A root never changes its type, so a root of another type has no earlier content to restore.
    if (!(error instanceof ContentMismatch && error.reason === 'root_type')) throw error;
  }
}

const formOf = (past: Y.Doc, doc: Y.Doc, key: string) =>
  richTextFormOf(storedTypeOf(past, key) === undefined ? doc : past, key);

import type { Comparison } from '../harness/benchmark.ts';
import { prepareEditors, updateCall, withOtherWord, writtenText } from '../harness/editors.ts';

const DOCUMENTS = 8;
const TEXT = writtenText();

/**
 * Changes one word in 29 KB, in eight documents in rotation. The baseline makes the same change in
 * its own Hocuspocus, and stores nothing.
 */
const crdtUpdate: Comparison = {
  name: 'crdt-update',
  target: 0.5,
  oneCallerTarget: 3,
  prepare: (database) => prepareEditors(database, { documents: DOCUMENTS, text: TEXT }),
  request: (n) =>
    updateCall(`document-${n % DOCUMENTS}`, 'text', withOtherWord(TEXT, Math.floor(n / DOCUMENTS))),
};

export default crdtUpdate;

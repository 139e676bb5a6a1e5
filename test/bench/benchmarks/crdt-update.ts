import type { Comparison } from '../harness/benchmark.ts';
import { prepareEditors, prose, updateCall, withWord } from '../harness/editors.ts';

const DOCUMENTS = 100;
/** Created on first use, and reused. */
const TEXT = prose(10_000);

/**
 * Changes one word in 10 KB, in a hundred documents in rotation. The baseline makes the same change in
 * its own Hocuspocus, and stores nothing.
 */
const crdtUpdate: Comparison = {
  name: 'crdt-update',
  target: 0.5,
  prepare: (database) => prepareEditors(database, { documents: DOCUMENTS, text: TEXT }),
  request: (n) => updateCall(`document-${n % DOCUMENTS}`, 'text', withWord(TEXT, n)),
};

export default crdtUpdate;

import type { Comparison } from '../harness/benchmark.ts';
import { prepareEditors, prose, updateCall, withWord } from '../harness/editors.ts';

const DOCUMENTS = 100;
/** Made when it is first needed, from then on the same. */
const TEXT = prose(10_000);

/**
 * Changes one word in 10 KB, in a hundred documents in turns. The baseline commits one row and then
 * makes the same change in Hocuspocus, in its process.
 */
const crdtUpdate: Comparison = {
  name: 'crdt-update',
  target: 0.5,
  prepare: (database) => prepareEditors(database, { documents: DOCUMENTS, text: TEXT }),
  request: (n) => updateCall(`document-${n % DOCUMENTS}`, 'text', withWord(TEXT, n)),
};

export default crdtUpdate;

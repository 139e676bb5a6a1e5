import { IN_A_DOCUMENT, seedAnnotations } from '../harness/annotations.ts';
import type { Comparison } from '../harness/benchmark.ts';

const DOCUMENTS = 200;

/** Reads the fifty annotations of a document, with comments, reactions and subscribers. */
const annotationsGet: Comparison = {
  name: 'annotations-get',
  target: 0.85,
  oneCallerTarget: 1.2,
  prepare: (database) => seedAnnotations(database, DOCUMENTS * IN_A_DOCUMENT),
  request: (n) => ({
    path: '/v2/commentannotations/get',
    data: {
      organizationId: 'acme',
      documentId: `document-${n % DOCUMENTS}`,
      pageSize: IN_A_DOCUMENT,
    },
  }),
};

export default annotationsGet;

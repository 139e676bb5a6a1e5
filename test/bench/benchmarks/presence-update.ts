import type { Comparison } from '../harness/benchmark.ts';
import { fillBy, ORGANIZATION } from '../harness/fill.ts';

const DOCUMENTS = 200;

/** One user in one of two hundred documents says something new, which is one event. */
const presenceUpdate: Comparison = {
  name: 'presence-update',
  target: 0.6,
  oneCallerTarget: 1.4,
  prepare: (database) =>
    fillBy(database, DOCUMENTS, [
      ORGANIZATION,
      `INSERT INTO documents (tenant_id, organization_id, document_id, document_name)
       SELECT :tenant, 'acme', 'document-' || n, 'Document'
       FROM generate_series(0, :count - 1) AS n`,
    ]),
  request: (n) => ({
    path: '/v2/presence/update',
    data: {
      organizationId: 'acme',
      documentId: `document-${n % DOCUMENTS}`,
      users: [{ userId: 'ada', status: `at line ${n}` }],
    },
  }),
};

export default presenceUpdate;

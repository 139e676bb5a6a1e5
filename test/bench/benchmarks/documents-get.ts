import type { Comparison } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';

const DOCUMENTS = 10_000;
const AT_ONCE = 30;
/** Coprime to the number of documents, so that the ids visit all of them. */
const STRIDE = 7_919;

/** An authenticated read of thirty documents by id, out of ten thousand. */
const documentsGet: Comparison = {
  name: 'documents-get',
  target: 0.8,
  oneCallerTarget: 1.1,

  async prepare(database) {
    await database.query(
      `INSERT INTO organizations (tenant_id, organization_id, organization_name)
       VALUES ($1, 'acme', 'acme')`,
      [TENANT],
    );
    await database.query(
      `INSERT INTO documents (tenant_id, organization_id, document_id, document_name, metadata)
       SELECT $1, 'acme', 'document-' || n, 'Document ' || n, jsonb_build_object('number', n)
       FROM generate_series(0, $2::int - 1) AS n`,
      [TENANT, DOCUMENTS],
    );
  },

  request(n) {
    const documentIds = Array.from(
      { length: AT_ONCE },
      (_, i) => `document-${((n * AT_ONCE + i) * STRIDE) % DOCUMENTS}`,
    );
    return {
      path: '/v2/organizations/documents/get',
      data: { organizationId: 'acme', documentIds },
    };
  },
};

export default documentsGet;

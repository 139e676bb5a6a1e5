import type { Comparison } from '../harness/benchmark.ts';
import { fillBy, ORGANIZATION } from '../harness/fill.ts';

const DOCUMENTS = 1_000;
const TEXT = 'Could we say here that the launch moves to June?';

/** One annotation with one comment, in one of a thousand documents. */
const annotationsAdd: Comparison = {
  name: 'annotations-add',
  target: 0.5,
  oneCallerTarget: 1.4,
  prepare: (database) =>
    fillBy(database, DOCUMENTS, [
      ORGANIZATION,
      `INSERT INTO documents (tenant_id, organization_id, document_id, document_name)
       SELECT :tenant, 'acme', 'document-' || n, 'Document'
       FROM generate_series(0, :count - 1) AS n`,
      `INSERT INTO users (tenant_id, user_id, name, initial) VALUES (:tenant, 'ada', 'Ada', 'A')`,
      `INSERT INTO grants
         (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
       VALUES (:tenant, 'acme', 'organization', 'acme', 'ada', 'editor')`,
    ]),
  request: (n) => ({
    path: '/v2/commentannotations/add',
    data: {
      organizationId: 'acme',
      documentId: `document-${n % DOCUMENTS}`,
      commentAnnotations: [
        {
          annotationId: `annotation-${n}`,
          commentData: [{ commentText: `${TEXT} ${n}`, from: { userId: 'ada' } }],
        },
      ],
    },
  }),
};

export default annotationsAdd;

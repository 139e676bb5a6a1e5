import { IN_A_DOCUMENT, seedAnnotations } from '../harness/annotations.ts';
import type { Comparison } from '../harness/benchmark.ts';
import { prepareEditors, updateCall, withOtherWord, writtenText } from '../harness/editors.ts';
import { DOCUMENTS, fillBy, ORGANIZATION } from '../harness/fill.ts';

const organizationId = 'acme';
const TEXT = writtenText();

/** The operations whose cost is compared with that of the same work written by hand. */
export const comparisons: Comparison[] = [
  // An authenticated read of one row with one column.
  {
    name: 'settings-get',
    target: 0.9,
    oneCallerTarget: 1.1,
    async prepare(database) {
      await database.query('INSERT INTO service_settings (tenant_id) SELECT id FROM api_keys');
    },
    request: () => ({ path: '/v2/workspace/advancedwebhookconfig/get', data: {} }),
  },

  // An authenticated read of thirty documents by id, out of ten thousand.
  {
    name: 'documents-get',
    target: 0.85,
    oneCallerTarget: 1.1,
    prepare: (database) => fillBy(database, 10_000, [ORGANIZATION, DOCUMENTS]),
    request: (n) => ({
      path: '/v2/organizations/documents/get',
      data: {
        organizationId,
        // The stride is coprime to the number of documents, so that the ids visit all of them.
        documentIds: Array.from(
          { length: 30 },
          (_, i) => `document-${((n * 30 + i) * 7_919) % 10_000}`,
        ),
      },
    }),
  },

  // Reads the fifty annotations of a document, with comments, reactions and subscribers.
  {
    name: 'annotations-get',
    target: 0.85,
    oneCallerTarget: 1.2,
    prepare: (database) => seedAnnotations(database, 200 * IN_A_DOCUMENT),
    request: (n) => ({
      path: '/v2/commentannotations/get',
      data: { organizationId, documentId: `document-${n % 200}`, pageSize: IN_A_DOCUMENT },
    }),
  },

  // One user in one of two hundred documents says something new, which is one event.
  {
    name: 'presence-update',
    target: 0.75,
    oneCallerTarget: 1.2,
    prepare: (database) => fillBy(database, 200, [ORGANIZATION, DOCUMENTS]),
    request: (n) => ({
      path: '/v2/presence/update',
      data: {
        organizationId,
        documentId: `document-${n % 200}`,
        users: [{ userId: 'ada', status: `at line ${n}` }],
      },
    }),
  },

  // One annotation with one comment, in one of a thousand documents, each of which has fifty already: plans for
  // empty tables are worse, until PostgreSQL analyzes the tables.
  {
    name: 'annotations-add',
    target: 0.5,
    oneCallerTarget: 1.4,
    async prepare(database) {
      await seedAnnotations(database, 1_000 * IN_A_DOCUMENT);
      await fillBy(database, 1, [
        `INSERT INTO users (tenant_id, user_id, name, initial) VALUES (:tenant, 'ada', 'Ada', 'A')`,
        `INSERT INTO grants
           (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
         VALUES (:tenant, 'acme', 'organization', 'acme', 'ada', 'editor')`,
      ]);
    },
    request(n) {
      const commentText = `Could we say here that the launch moves to June? ${n}`;
      const commentData = [{ commentText, from: { userId: 'ada' } }];
      return {
        path: '/v2/commentannotations/add',
        data: {
          organizationId,
          documentId: `document-${n % 1_000}`,
          commentAnnotations: [{ annotationId: `new-annotation-${n}`, commentData }],
        },
      };
    },
  },

  // Changes one word in 29 KB, in eight documents in rotation. The baseline makes the same change in its own
  // Hocuspocus, and stores nothing.
  {
    name: 'crdt-update',
    target: 0.5,
    oneCallerTarget: 3,
    prepare: (database) => prepareEditors(database, { documents: 8, text: TEXT }),
    request: (n) => updateCall(`document-${n % 8}`, withOtherWord(TEXT, Math.floor(n / 8))),
  },
];

import type { Client } from 'pg';
import { growthOfLists, type Tables } from '../growth/lists.ts';
import { pageTokenAfter } from '../growth/page-tokens.ts';
import { fillBy, ORGANIZATION } from '../harness/fill.ts';

const GET = '/v2/organizations/documents/get';
const organizationId = 'acme';
const pageSize = 50;
const idOf = (n: number) => `document-${n}`;

function tables(count: number): Tables {
  const data = { organizationId, pageSize };
  const inFolder = { ...data, folderId: 'folder-3' };
  const late = idOf(Math.floor(count / 2));
  const filters = { organizationId, documentIds: undefined, folderId: undefined };
  const documentIds = Array.from({ length: 30 }, (_, n) => idOf(Math.floor((n * count) / 30)));
  return {
    'Documents: a page of 50': {
      'first page': { path: GET, data },
      'page in the middle': {
        path: GET,
        data: { ...data, pageToken: pageTokenAfter('documents.get', filters, [late]) },
      },
      'in a folder': { path: GET, data: inFolder },
      '30 by id': { path: GET, data: { organizationId, documentIds } },
      'in an empty folder': { path: GET, data: { ...data, folderId: 'empty' } },
    },
  };
}

/** A tenth of the documents are in each of ten folders. */
const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    ORGANIZATION,
    `INSERT INTO folders (tenant_id, organization_id, folder_id)
     SELECT :tenant, 'acme', folder
     FROM (SELECT 'folder-' || generate_series(0, 9) UNION ALL SELECT 'empty') AS f(folder)`,
    `INSERT INTO documents
       (tenant_id, organization_id, document_id, document_name, folder_id, metadata)
     SELECT :tenant, 'acme', 'document-' || n, 'Document ' || n, 'folder-' || n % 10,
       jsonb_build_object('number', n)
     FROM generate_series(0, :count - 1) AS n`,
  ]);

export default growthOfLists({ name: 'growth-documents', sizeOf: 'documents', fill, tables });

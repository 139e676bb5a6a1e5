import type { Client } from 'pg';
import { growthOfLists, type Tables } from '../growth/lists.ts';
import { pageTokenAfter } from '../growth/page-tokens.ts';
import { fillBy, ORGANIZATION } from '../harness/fill.ts';

const path = '/v2/organizations/folders/get';
const organizationId = 'acme';
const DEEPEST = 5;

function tables(count: number): Tables {
  const data = { organizationId, pageSize: 50 };
  const late = `folder-${Math.floor(count / 2)}`;
  const filters = { organizationId, folderId: undefined, maxDepth: 1 };
  return {
    Folders: {
      'first page at the root': { path, data },
      'page in the middle': {
        path,
        data: { ...data, pageToken: pageTokenAfter('folders.get', filters, [late]) },
      },
      'one with its 100 subfolders': { path, data: { organizationId, folderId: 'parent-3' } },
      'one five levels deep': { path, data: { organizationId, folderId: `deep-${DEEPEST}` } },
    },
  };
}

/** Half of the folders are at the root, and half are below others, a hundred in each. */
const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    ORGANIZATION,
    `INSERT INTO folders (tenant_id, organization_id, folder_id, folder_name)
     SELECT :tenant, 'acme', 'folder-' || n, 'Folder ' || n FROM generate_series(0, :count / 2 - 1) AS n`,
    `INSERT INTO folders (tenant_id, organization_id, folder_id, folder_name)
     SELECT :tenant, 'acme', 'parent-' || n, 'Parent ' || n FROM generate_series(0, :count / 200 - 1) AS n`,
    `INSERT INTO folders (tenant_id, organization_id, folder_id, folder_name, parent_folder_id)
     SELECT :tenant, 'acme', 'sub-' || n, 'Subfolder ' || n, 'parent-' || n / 100
     FROM generate_series(0, :count / 2 - 1) AS n`,
    `INSERT INTO folders (tenant_id, organization_id, folder_id, parent_folder_id)
     SELECT :tenant, 'acme', 'deep-' || n, CASE WHEN n > 1 THEN 'deep-' || n - 1 END
     FROM generate_series(1, ${DEEPEST}) AS n`,
  ]);

export default growthOfLists({ name: 'growth-folders', sizeOf: 'folders', fill, tables });

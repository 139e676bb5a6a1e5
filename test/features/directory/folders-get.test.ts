import { beforeAll, describe, expect, it } from 'vitest';
import { directoryOf } from '../../support/directory.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
const directory = directoryOf(server);
beforeAll(async () => {
  const folders = [
    { folderId: 'legal', folderName: 'Legal', accessType: 'restricted', color: 'red' },
    { folderId: 'contracts', parentFolderId: 'legal' },
    { folderId: 'drafts', parentFolderId: 'contracts', accessType: 'organizationPrivate' },
    { folderId: 'archive', parentFolderId: 'contracts' },
    { folderId: 'sales' },
  ];
  await directory.call('folders/add', {
    organizationId: 'acme',
    createOrganization: true,
    folders,
  });
});

const get = (data: object) => directory.call('folders/get', { organizationId: 'acme', ...data });

const legal = {
  folderId: 'legal',
  folderName: 'Legal',
  parentFolderId: null,
  accessType: 'restricted',
  ancestors: [],
  color: 'red',
};
const contracts = {
  folderId: 'contracts',
  folderName: 'contracts',
  parentFolderId: 'legal',
  accessType: 'restricted',
  ancestors: ['legal'],
};
const below = { parentFolderId: 'contracts', ancestors: ['legal', 'contracts'] };
const archive = {
  folderId: 'archive',
  folderName: 'archive',
  accessType: 'restricted',
  ...below,
};
const drafts = {
  folderId: 'drafts',
  folderName: 'drafts',
  accessType: 'organizationPrivate',
  ...below,
};
const sales = {
  folderId: 'sales',
  folderName: 'sales',
  parentFolderId: null,
  accessType: 'public',
  ancestors: [],
};

describe('folders/get', () => {
  it('returns the folders at the root with one level of children by default', async () => {
    const { status, message, data } = await get({});
    expect([status, message]).toEqual(['success', 'Folder(s) retrieved successfully.']);
    expect(data).toEqual([
      { ...legal, subfolders: [contracts] },
      { ...sales, subfolders: [] },
    ]);
  });

  it('returns one folder with its ancestors and descendants, to the requested depth', async () => {
    const { data } = await get({ folderId: 'contracts', maxDepth: 5 });
    const leaves = [archive, drafts].map((folder) => ({ ...folder, subfolders: [] }));
    expect(data).toEqual([{ ...contracts, subfolders: leaves }]);
    expect((await get({ folderId: 'drafts', maxDepth: 0 })).data).toEqual([drafts]);
  });

  it('bounds the size of its answer', async () => {
    await server.app.services.db.pool.query(
      `INSERT INTO organizations (tenant_id, organization_id) VALUES ($1, 'huge')`,
      [server.quickstart.apiKey],
    );
    await server.app.services.db.pool.query(
      `INSERT INTO folders (tenant_id, organization_id, folder_id, parent_folder_id)
       SELECT $1, 'huge', 'f' || n, CASE WHEN n = 0 THEN NULL ELSE 'f0' END
       FROM generate_series(0, 10001) AS n`,
      [server.quickstart.apiKey],
    );
    const { status, body } = await server.call('/v2/organizations/folders/get', {
      organizationId: 'huge',
    });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('10000')]);
  });
});

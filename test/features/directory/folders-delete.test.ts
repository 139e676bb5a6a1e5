import { describe, expect, it } from 'vitest';
import { directoryOf } from '../../support/directory.ts';
import { testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });
const directory = directoryOf(server);

const addFolders = (organizationId: string, folders: object[]) =>
  directory.call('folders/add', { organizationId, createOrganization: true, folders });

const addDocument = (organizationId: string, documentId: string, folderId?: string) =>
  directory.call('documents/add', { organizationId, folderId, documents: [{ documentId }] });

const remove = async (organizationId: string, input: object) =>
  (await directory.call('folders/delete', { organizationId, ...input })).data;

const deletionsOf = async (organizationId: string) =>
  (await directory.eventsOf(organizationId))
    .filter(({ type }) => type.endsWith('.delete'))
    .map(({ type, data }) => [type, data.id ?? data.folderId, data.accessType]);

describe('folders/delete', () => {
  it('deletes the subtree and its grants only, and publishes each deletion', async () => {
    await addFolders('tree', [
      { folderId: 'a', accessType: 'restricted' },
      { folderId: 'b', parentFolderId: 'a' },
      { folderId: 'c', parentFolderId: 'b', accessType: 'public' },
      { folderId: 'x' },
    ]);
    for (const folderId of ['a', 'b', 'c', 'x', undefined]) {
      await addDocument('tree', `in-${folderId}`, folderId);
    }
    for (const place of [{ folderId: 'b' }, { documentId: 'in-c' }, { folderId: 'x' }]) {
      const users = [{ userId: 'ada' }];
      await server.call('/v1/users/add', { organizationId: 'tree', ...place, users });
    }
    expect(await remove('tree', { folderIds: ['b', 'nobody'] })).toEqual({
      b: { success: true, id: 'b', message: 'Folder deleted.' },
      nobody: { success: false, id: 'nobody', message: 'Folder does not exist.' },
    });
    expect(await deletionsOf('tree')).toEqual([
      ['document.delete', 'in-b', 'restricted'],
      ['document.delete', 'in-c', 'public'],
      ['folder.delete', 'b', 'restricted'],
      ['folder.delete', 'c', 'public'],
    ]);
    const { data } = await directory.call('documents/get', { organizationId: 'tree' });
    const left = data.map((row: { id: string }) => row.id);
    expect(left).toEqual(['in-a', 'in-undefined', 'in-x']);
    expect(await directory.count('folders', 'tree')).toBe(2);
    // Of the three grants, the one on x remains.
    expect(await directory.count('grants', 'tree')).toBe(1);
  });

  it('deletes a folder and one of its subfolders as one', async () => {
    await addFolders('nested', [
      { folderId: 'a' },
      { folderId: 'b', parentFolderId: 'a' },
      { folderId: 'c', parentFolderId: 'b' },
    ]);
    const data = await remove('nested', { folderIds: ['c', 'a', 'c'] });
    expect([data.a.message, data.c.message]).toEqual(['Folder deleted.', 'Folder deleted.']);
    expect((await deletionsOf('nested')).map(([, id]) => id)).toEqual(['a', 'b', 'c']);
  });

  it('accepts folderId or folderIds, not both', async () => {
    await addFolders('single', [{ folderId: 'a' }]);
    expect((await remove('single', { folderId: 'a' })).a.success).toBe(true);
    for (const input of [{}, { folderId: 'a', folderIds: ['a'] }]) {
      const data = { organizationId: 'single', ...input };
      const { status } = await server.call('/v2/organizations/folders/delete', data);
      expect(status).toBe(400);
    }
  });

  it('never silently loses a document that is added concurrently', async () => {
    await directory.call('add', { organizations: [{ organizationId: 'race' }] });
    for (let round = 0; round < 8; round++) {
      const folderId = `f${round}`;
      await addFolders('race', [{ folderId }]);
      await Promise.all([
        remove('race', { folderId }),
        ...Array.from({ length: 4 }, async (_, index) => {
          const { status, body } = await server.call('/v2/organizations/documents/add', {
            organizationId: 'race',
            folderId,
            documents: [{ documentId: `d-${round}-${index}` }],
          });
          if (status !== 200) expect(body.error.details.reason).toBe('folder_not_found');
        }),
      ]);
    }
    expect(await directory.count('documents', 'race')).toBe(0);
    const types = (await directory.eventsOf('race')).map(({ type }) => type);
    const count = (wanted: string) => types.filter((type) => type === wanted).length;
    expect(count('document.delete')).toBe(count('document.add'));
  });
});

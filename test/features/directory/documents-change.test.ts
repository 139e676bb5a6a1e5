import { describe, expect, it } from 'vitest';
import { directoryOf } from '../../support/directory.ts';
import { testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });
const directory = directoryOf(server);

const add = (organizationId: string, documents: object[], folderId?: string) =>
  directory.call('documents/add', {
    organizationId,
    createOrganization: true,
    documents,
    folderId,
  });

const addFolders = (organizationId: string, folders: object[]) =>
  directory.call('folders/add', { organizationId, createOrganization: true, folders });

const get = async (organizationId: string, documentIds?: string[]) =>
  (await directory.call('documents/get', { organizationId, documentIds })).data;

const changesOf = async (organizationId: string) =>
  (await directory.eventsOf(organizationId)).filter(({ type }) => !type.endsWith('.add'));

const yes = (id: string, message: string) => ({ success: true, id, message });
const unknown = (id: string) => ({ success: false, id, message: 'Document does not exist.' });

describe('documents/update', () => {
  it('changes the given fields, merges own fields, and publishes the previous state', async () => {
    await add('edit', [{ documentId: 'd', documentName: 'Old', color: 'red', size: 1 }]);
    const { message, data } = await directory.call('documents/update', {
      organizationId: 'edit',
      documents: [
        { documentId: 'd', documentName: 'New', disabled: true, color: 'blue' },
        { documentId: 'nobody', documentName: 'x' },
      ],
    });
    expect(message).toBe('Document(s) updated successfully.');
    expect(data).toEqual({ d: yes('d', 'Document updated.'), nobody: unknown('nobody') });
    const now = {
      id: 'd',
      documentName: 'New',
      disabled: true,
      accessType: 'public',
      color: 'blue',
      size: 1,
    };
    expect(await get('edit')).toEqual([now]);
    const previous = { ...now, documentName: 'Old', disabled: false, color: 'red' };
    expect(await changesOf('edit')).toMatchObject([
      {
        type: 'document.update',
        documentId: 'd',
        channels: ['organization:edit', 'document:d'],
        data: { ...now, previous },
      },
    ]);
  });

  it('publishes nothing when nothing changes', async () => {
    await add('same', [{ documentId: 'd', documentName: 'N', a: { b: 1 } }]);
    await directory.call('documents/update', {
      organizationId: 'same',
      documents: [{ documentId: 'd', documentName: 'N', accessType: 'public', a: { b: 1 } }],
    });
    expect(await changesOf('same')).toEqual([]);
  });

  it('applies concurrent updates of different fields', async () => {
    await add('merge', [{ documentId: 'd' }]);
    const fields = Array.from({ length: 10 }, (_, index) => `field${index}`);
    await Promise.all(
      fields.map((field) =>
        directory.call('documents/update', {
          organizationId: 'merge',
          documents: [{ documentId: 'd', [field]: field }],
        }),
      ),
    );
    const [document] = await get('merge');
    expect(document).toMatchObject(Object.fromEntries(fields.map((field) => [field, field])));
  });
});

describe('documents/access/update', () => {
  it('sets the access type of documents given as ids', async () => {
    await add('types', [{ documentId: 'a' }]);
    const documentIds = ['a', 'nobody'];
    const data = { organizationId: 'types', documentIds, accessType: 'restricted' };
    expect((await directory.call('documents/access/update', data)).data).toEqual({
      a: yes('a', 'Document updated.'),
      nobody: unknown('nobody'),
    });
    expect(await get('types')).toMatchObject([{ accessType: 'restricted' }]);
    expect(await changesOf('types')).toHaveLength(1);
  });

  it('applies the type of each entry, else the common one', async () => {
    await add('mixed', [{ documentId: 'a' }, { documentId: 'b' }]);
    const documents = [{ documentId: 'a', accessType: 'organizationPrivate' }, { documentId: 'b' }];
    const data = { organizationId: 'mixed', documents, accessType: 'restricted' };
    await directory.call('documents/access/update', data);
    expect(await get('mixed')).toMatchObject([
      { accessType: 'organizationPrivate' },
      { accessType: 'restricted' },
    ]);
  });

  it.each([
    [{ accessType: undefined, documentIds: ['a'] }, 'accessType'],
    [{}, 'documentIds'],
    [{ documentIds: ['a'], documents: [{ documentId: 'a' }] }, 'documentIds'],
  ])('requires a type, and either documentIds or documents: %j', async (named, path) => {
    const data = { organizationId: 'types', accessType: 'public', ...named };
    const { status, body } = await server.call('/v2/organizations/documents/access/update', data);
    expect([status, body.error.details.issues[0].path]).toEqual([400, path]);
  });

  it("reports that a folder's type overrides the document's, which applies outside again", async () => {
    await addFolders('inside', [{ folderId: 'f', accessType: 'organizationPrivate' }]);
    await add('inside', [{ documentId: 'd' }], 'f');
    const { data } = await directory.call('documents/access/update', {
      organizationId: 'inside',
      documentIds: ['d'],
      accessType: 'restricted',
    });
    expect(data.d.message).toContain('the access type of the folder counts');
    expect((await get('inside'))[0].accessType).toBe('organizationPrivate');
    const out = { organizationId: 'inside', documentIds: ['d'], folderId: null };
    await directory.call('documents/move', out);
    expect((await get('inside'))[0].accessType).toBe('restricted');
  });
});

describe('documents/move', () => {
  const move = async (organizationId: string, documentIds: string[], folderId: string | null) =>
    (await directory.call('documents/move', { organizationId, documentIds, folderId })).data;

  it('moves into a folder, between folders and to the root, and publishes both places', async () => {
    await addFolders('moves', [{ folderId: 'f', accessType: 'restricted' }, { folderId: 'g' }]);
    await add('moves', [{ documentId: 'd' }, { documentId: 'e' }]);
    expect(await move('moves', ['d', 'nobody'], 'f')).toEqual({
      d: yes('d', 'Document moved.'),
      nobody: unknown('nobody'),
    });
    expect(await move('moves', ['d'], 'f')).toEqual({ d: yes('d', 'Document is there already.') });
    await move('moves', ['d'], 'g');
    await move('moves', ['d'], null);
    const document = { id: 'd', documentName: 'd', disabled: false };
    const inF = { ...document, accessType: 'restricted', folderId: 'f' };
    const inG = { ...document, accessType: 'public', folderId: 'g' };
    const atRoot = { ...document, accessType: 'public', folderId: null };
    expect(await changesOf('moves')).toMatchObject([
      { type: 'document.move', data: { ...inF, previous: atRoot } },
      {
        type: 'document.move',
        channels: ['organization:moves', 'document:d', 'folder:g', 'folder:f'],
        data: { ...inG, previous: inF },
      },
      { type: 'document.move', data: { ...atRoot, previous: inG } },
    ]);
  });

  it('refuses an unknown folder, and then moves nothing', async () => {
    await add('unmoved', [{ documentId: 'd' }]);
    const data = { organizationId: 'unmoved', documentIds: ['d'], folderId: 'nobody' };
    const { status, body } = await server.call('/v2/organizations/documents/move', data);
    expect([status, body.error.details.reason]).toEqual([400, 'folder_not_found']);
    expect(await changesOf('unmoved')).toEqual([]);
  });
});

describe('documents/delete', () => {
  const remove = async (organizationId: string, documentIds: string[]) =>
    (await directory.call('documents/delete', { organizationId, documentIds })).data;

  it('succeeds for documents that do not exist, and says so', async () => {
    await add('gone', [{ documentId: 'd', documentName: 'D', color: 'red' }]);
    expect(await remove('gone', ['d', 'nobody'])).toEqual({
      d: yes('d', 'Document deleted.'),
      nobody: yes('nobody', 'Document does not exist.'),
    });
    expect(await get('gone')).toEqual([]);
    expect(await remove('gone', ['d'])).toEqual({ d: yes('d', 'Document does not exist.') });
    expect(await changesOf('gone')).toMatchObject([
      {
        type: 'document.delete',
        documentId: 'd',
        data: { id: 'd', documentName: 'D', disabled: false, accessType: 'public', color: 'red' },
      },
    ]);
  });
});

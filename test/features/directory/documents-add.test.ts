import { describe, expect, it } from 'vitest';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();

const add = (data: object) =>
  server.call('/v2/organizations/documents/add', { createOrganization: true, ...data });
const get = async (organizationId: string) =>
  dataOf(await server.call('/v2/organizations/documents/get', { organizationId }));
const addFolder = async (organizationId: string, folder: object) =>
  dataOf(
    await server.call('/v2/organizations/folders/add', {
      organizationId,
      createOrganization: true,
      folders: [folder],
    }),
  );

describe('organizations/documents/add', () => {
  it('leaves an existing document unchanged', async () => {
    const organizationId = fresh('org');
    await add({ organizationId, documents: [{ documentId: 'd', documentName: 'First' }] });
    const documents = [{ documentId: 'd', documentName: 'Second' }, { documentId: 'e' }];
    expect(dataOf(await add({ organizationId, documents }))).toEqual({
      d: { success: false, id: 'd', message: 'Document already exists.' },
      e: { success: true, id: 'e', message: 'Document added.' },
    });
    expect((await get(organizationId))[0].documentName).toBe('First');
  });

  it('refuses an unknown folder, and then creates nothing', async () => {
    const organizationId = fresh('org');
    const documents = [{ documentId: 'd' }];
    const answer = await add({ organizationId, folderId: 'missing', documents });
    expect(failureOf(answer).reason).toBe('folder_not_found');
    const query = { organizationId, userIds: ['x'] };
    expect((await server.call('/v2/auth/permissions/get', query)).status).toBe(404);
  });

  it("gives a document in a folder the folder's access type, whatever its own", async () => {
    const organizationId = fresh('org');
    await addFolder(organizationId, { folderId: 'top', accessType: 'restricted' });
    await addFolder(organizationId, { folderId: 'below', parentFolderId: 'top' });
    const documents = [{ documentId: 'd', accessType: 'public' }];
    await add({ organizationId, folderId: 'below', documents });
    expect(await get(organizationId)).toMatchObject([{ id: 'd', accessType: 'restricted' }]);
  });

  it("gives a document without a name its id, and no caller's field overrides it", async () => {
    const organizationId = fresh('org');
    await add({ organizationId, documents: [{ documentId: 'd', id: 'other' }] });
    expect(await get(organizationId)).toEqual([
      { id: 'd', documentName: 'd', disabled: false, accessType: 'public' },
    ]);
  });

  it('refuses 1,001, metadata over 16 KB, and names over 1,000 characters', async () => {
    const organizationId = fresh('org');
    const many = Array.from({ length: 1001 }, (_, number) => ({ documentId: `d${number}` }));
    expect((await add({ organizationId, documents: many })).body).toEqual(invalid('documents'));
    const large = [{ documentId: 'd', note: 'x'.repeat(16_374) }];
    expect((await add({ organizationId, documents: large })).body).toEqual(invalid('documents[0]'));
    const long = [{ documentId: 'd', documentName: 'n'.repeat(1001) }];
    const path = 'documents[0].documentName';
    expect((await add({ organizationId, documents: long })).body).toEqual(invalid(path));
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf, fresh, invalid, UNUSUAL_IDS } from '../../support/answers.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});

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
  it('returns an outcome for each document', async () => {
    const documents = [{ documentId: 'plan', documentName: 'Launch plan' }];
    expect((await add({ organizationId: fresh('org'), documents })).body).toEqual({
      result: {
        status: 'success',
        message: 'Document(s) added successfully.',
        data: { plan: { success: true, id: 'plan', message: 'Document added.' } },
      },
    });
  });

  it('names a document without a name after its id, and makes it public', async () => {
    const organizationId = fresh('org');
    await add({ organizationId, documents: [{ documentId: 'd' }] });
    expect(await get(organizationId)).toEqual([
      { id: 'd', documentName: 'd', disabled: false, accessType: 'public' },
    ]);
  });

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

  it('requires an existing organization, or creates it on request', async () => {
    const organizationId = fresh('org');
    const documents = [{ documentId: 'd' }];
    const answer = await add({ organizationId, documents, createOrganization: false });
    expect(failureOf(answer)).toEqual({
      http: 400,
      status: 'INVALID_ARGUMENT',
      reason: 'organization_not_found',
    });
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

  it("stores and returns the caller's own fields", async () => {
    const organizationId = fresh('org');
    const own = { tags: ['a', { b: null }], constructor: 'c', toString: 't', 'ü/:': 1.5 };
    await add({ organizationId, documents: [{ documentId: 'd', ...own }] });
    expect(await get(organizationId)).toEqual([
      { id: 'd', documentName: 'd', disabled: false, accessType: 'public', ...own },
    ]);
  });

  it("does not let the caller's fields override those of the document", async () => {
    const organizationId = fresh('org');
    await add({ organizationId, documents: [{ documentId: 'd', id: 'other' }] });
    expect(await get(organizationId)).toEqual([
      { id: 'd', documentName: 'd', disabled: false, accessType: 'public' },
    ]);
  });

  it('accepts 1,000 documents, also with unusual ids', async () => {
    const plain = Array.from({ length: 975 }, (_, number) => `d${number}`);
    const documents = [...UNUSUAL_IDS, ...plain].map((documentId) => ({ documentId }));
    const outcomes = dataOf(await add({ organizationId: fresh('org'), documents }));
    expect(documents).toHaveLength(1000);
    for (const { documentId } of documents) expect(outcomes[documentId].success).toBe(true);
  });

  it('counts a repeated document once, with the last value of each given field', async () => {
    const organizationId = fresh('org');
    const documents = [
      { documentId: 'd', documentName: 'First', accessType: 'restricted' },
      { documentId: 'd', documentName: 'Last' },
    ];
    await add({ organizationId, documents });
    const joined = { id: 'd', documentName: 'Last', accessType: 'restricted' };
    expect(await get(organizationId)).toMatchObject([joined]);
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
